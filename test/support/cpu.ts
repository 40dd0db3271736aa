/**
 * CPU ms of this process since the call. Only for what cannot be counted, such as the steps of a regular expression, and
 * with a bound of twenty times the usual.
 */
export function cpuMeter(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
