const [WIDTH, HEIGHT, MARGIN] = [120, 28, 2];

interface Props {
  /** One value a day, oldest first. */
  values: number[];
  failures: number[];
}

/** Shows a trend over some days without figures; words elsewhere give those. */
export function Sparkline({ values, failures }: Props) {
  const most = Math.max(1, ...values, ...failures);
  const step = WIDTH / Math.max(1, values.length - 1);
  const pathOf = (counts: number[]) =>
    counts
      .map((count, n) => {
        const y = HEIGHT - MARGIN - (count / most) * (HEIGHT - 2 * MARGIN);
        return `${n === 0 ? "M" : "L"}${round(n * step)} ${round(y)}`;
      })
      .join("");
  return (
    <svg class="spark" aria-hidden="true" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <path d={pathOf(values)} />
      {failures.some((count) => count > 0) && <path class="failed" d={pathOf(failures)} />}
    </svg>
  );
}

const round = (value: number) => Math.round(value * 10) / 10;
