interface Day {
  /** Label on the axis. */
  name: string;
  delivered: number;
  failed: number;
}

interface Props {
  label: string;
  days: Day[];
  /** Names of the two kinds of bars. */
  words: { delivered: string; failed: string };
  format(count: number): string;
}

const [LEFT, TOP, HEIGHT, FOOT, STEP, BAR] = [36, 8, 132, 24, 44, 26];

/** Bars by day with axis, dates and legend; a bar shows its figures on hover. */
export function BarChart({ label, days, words, format }: Props) {
  const top = scaleFor(Math.max(1, ...days.map(({ delivered, failed }) => delivered + failed)));
  const width = LEFT + days.length * STEP;
  const yOf = (count: number) => TOP + HEIGHT - (count / top) * HEIGHT;
  return (
    <figure class="chart">
      <figcaption>
        <span class="key delivered">{words.delivered}</span> <span class="key failed">{words.failed}</span>
      </figcaption>
      <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${TOP + HEIGHT + FOOT}`}>
        {[0, 1 / 2, 1].map((share) => (
          <>
            <line class="rule" x1={LEFT} x2={width} y1={yOf(top * share)} y2={yOf(top * share)} />
            <text class="axis" x={LEFT - 8} y={yOf(top * share) + 4} text-anchor="end">
              {format(top * share)}
            </text>
          </>
        ))}
        {days.map((day, n) => (
          <Bar
            {...{ day, words, yOf }}
            x={LEFT + n * STEP + (STEP - BAR) / 2}
            isNamed={(days.length - 1 - n) % 2 === 0}
          />
        ))}
      </svg>
    </figure>
  );
}

type BarProps = { day: Day; words: Props["words"]; yOf(count: number): number; x: number; isNamed: boolean };

function Bar({ day: { name, delivered, failed }, words, yOf, x, isNamed }: BarProps) {
  const [base, middle, high] = [yOf(0), yOf(delivered), yOf(delivered + failed)];
  return (
    <g class="bar">
      <title>{`${name}: ${words.delivered} ${delivered}, ${words.failed} ${failed}`}</title>
      <rect class="hit" x={x - 8} y={TOP} width={BAR + 16} height={HEIGHT} />
      {delivered > 0 && <rect class="delivered" x={x} y={middle} width={BAR} height={base - middle} rx="2" />}
      {failed > 0 && <rect class="failed" x={x} y={high} width={BAR} height={middle - high} rx="2" />}
      {isNamed && (
        <text class="axis" x={x + BAR / 2} y={TOP + HEIGHT + 18} text-anchor="middle">
          {name}
        </text>
      )}
    </g>
  );
}

/** The value at the top of the axis: round, and even, so that its half is whole. */
export function scaleFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const round = [1, 2, 4, 6, 10].map((each) => each * power).find((each) => each >= most) ?? 10 * power;
  return Math.max(2, round);
}
