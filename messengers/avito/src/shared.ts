import { failedCall } from "gangway-messenger/answers";
import { deadline, onAbort } from "gangway-messenger/clock";
import { singleFlight } from "gangway-messenger/concurrency";
import type { Context } from "./wire.ts";

/** Rejects once `signal` aborts, whatever becomes of the result. `what` names it in the error. */
export function within<T>(result: Promise<T>, what: string, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () =>
      reject(failedCall("Avito", { type: "failure", sent: "no", reason: "timeout", detail: "" }, what));
    const ignore = onAbort(signal, leave);
    if (signal.aborted) leave();
    result.then(resolve, reject).finally(ignore);
  });
}

/**
 * Runs one call shared by several callers: each waits as long as its own signal allows, the call at most `timeoutMs`.
 */
export function sharedCall<T>({ clock, closed }: Pick<Context, "clock" | "closed">, what: string, timeoutMs: number) {
  const flight = singleFlight<T>();
  const run = async (ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const { signal, end } = deadline(clock, timeoutMs, closed);
    return ask(signal).finally(end);
  };
  return (ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> =>
    within(
      flight(what, () => run(ask)),
      what,
      signal,
    );
}
