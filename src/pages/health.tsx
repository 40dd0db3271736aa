import { dateFormat, numberFormat } from "gangway-messenger/language";
import type { ChannelProps, HealthProps, Strings } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props {
  t: Strings;
  health: HealthProps;
  /** Absent: UTC. */
  timeZone?: string;
  /** Beside others of an account whose page says itself that it is off. */
  isListed?: boolean;
}

/** How a messenger is, in one word. */
export const HealthWord = ({ t, id, health: { word } }: Pick<Props, "t" | "health"> & { id: string }) => (
  <span data-fresh={`word-${id}`}>
    <span class={`badge ${word}`}>{t.health.words[word]}</span>
  </span>
);

/** Why it is so, and what went through it today. */
export function HealthLines({ t, health, timeZone, isListed = false }: Props) {
  const { hints, today, lastInbound, lastOutbound } = t.health;
  const { word, failing, waitsSince, quietSince, lastInboundAt, lastOutboundAt, days } = health;
  const since = timeText(t, waitsSince ?? quietSince ?? 0, timeZone);
  const hint =
    word === "slow" || word === "quiet"
      ? hints[word]({ since })
      : ((word === "off" && !isListed) || word === "new") && hints[word];
  const { delivered = 0, failed = 0 } = days.at(-1) ?? {};
  const times = [
    lastInboundAt !== undefined && lastInbound({ at: timeText(t, lastInboundAt, timeZone) }),
    lastOutboundAt !== undefined && lastOutbound({ at: timeText(t, lastOutboundAt, timeZone) }),
  ];
  return (
    <>
      {failing && <p class="problem">{hints.failing(failing)}</p>}
      {hint && <p class={word === "slow" || word === "quiet" ? "notice" : "hint"}>{hint}</p>}
      {word !== "new" && <p class="hint">{[today({ delivered, failed }), ...times].filter(Boolean).join(" · ")}</p>}
    </>
  );
}

type ComparedProps = Pick<Props, "t" | "timeZone"> & { title: string; compared: NonNullable<ChannelProps["compared"]> };

/** How far the messenger's own list agrees with what came. */
export function ComparedLines({ t, timeZone, title, compared: { upTo, recovered, isBehind, gap } }: ComparedProps) {
  const at = (ms: number) => timeText(t, ms, timeZone);
  return (
    <>
      <p class="hint">{t.health.compared({ title, at: at(upTo), recovered })}</p>
      {isBehind && <p class="notice">{t.health.behind({ title, at: at(upTo) })}</p>}
      {gap && <p class="notice">{t.health.gap({ title, from: at(gap.from), to: at(gap.to) })}</p>}
    </>
  );
}

type PastProps = Pick<Props, "t" | "timeZone"> & { title: string; past: NonNullable<ChannelProps["past"]> };

/** How far the messages of before the connection are imported. */
export function PastLines({
  t,
  timeZone,
  title,
  past: { days, count, from = 0, completeFrom = from, ended },
}: PastProps) {
  return (
    <>
      <p class="hint">{t.health[ended === undefined ? "importing" : "imported"]({ days, count })}</p>
      {completeFrom > from && (
        <p class="hint">{t.health.importedPartly({ title, at: timeText(t, completeFrom, timeZone) })}</p>
      )}
    </>
  );
}

const [BAR, GAP, HEIGHT] = [18, 6, 80];

/** The messages of two weeks as bars, drawn on the server; the numbers for who cannot see it. */
export function Chart({ t, health: { days } }: Pick<Props, "t" | "health">) {
  const words = t.health;
  const most = Math.max(1, ...days.map(({ delivered, failed }) => delivered + failed));
  const heightOf = (count: number) => Math.ceil((count / most) * (HEIGHT - 2));
  const sum = (of: "delivered" | "failed") => days.reduce((all, day) => all + day[of], 0);
  const date = dateFormat(t.language, { day: "numeric", month: "short", timeZone: "UTC" });
  const name = (day: string) => date.format(Date.parse(day));
  const width = days.length * (BAR + GAP) - GAP;
  return (
    <>
      <h2>{words.chart}</h2>
      <svg
        class="chart"
        role="img"
        aria-label={words.sum({ delivered: sum("delivered"), failed: sum("failed") })}
        viewBox={`0 0 ${width} ${HEIGHT}`}
      >
        {days.map(({ day, delivered, failed }, n) => {
          const x = n * (BAR + GAP);
          const [up, more] = [heightOf(delivered), heightOf(failed)];
          return (
            <g>
              <title>{`${name(day)}: ${words.delivered} ${delivered}, ${words.failed} ${failed}`}</title>
              <rect class="none" x={x} y={HEIGHT - 1} width={BAR} height={1} />
              <rect class="delivered" x={x} y={HEIGHT - up} width={BAR} height={up} />
              <rect class="failed" x={x} y={Math.max(0, HEIGHT - up - more)} width={BAR} height={more} />
            </g>
          );
        })}
      </svg>
      <details>
        <summary>{words.numbers}</summary>
        <table>
          <thead>
            <tr>
              {[words.day, words.delivered, words.failed].map((head) => (
                <th scope="col">{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, delivered, failed }) => (
              <tr>
                <th scope="row">{name(day)}</th>
                <td data-head={words.delivered}>{numberFormat(t.language).format(delivered)}</td>
                <td data-head={words.failed}>{numberFormat(t.language).format(failed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
