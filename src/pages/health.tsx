import { dateFormat, numberFormat } from "gangway-messenger/language";
import { BarChart } from "gangway-ui/bar-chart";
import { State, type Tone } from "gangway-ui/state";
import type { ChannelProps, HealthProps, Strings } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props {
  t: Strings;
  health: HealthProps;
  /** Default: UTC. */
  timeZone?: string;
}

const TONES: Record<HealthProps["word"], Tone> = {
  ...{ stopped: "danger", failing: "danger", troubled: "danger", slow: "warning", quiet: "warning", off: "warning" },
  ...{ paused: "neutral", new: "info", working: "success" },
};

/** A channel's health in one word. */
export const HealthWord = ({ t, id, health: { word } }: Pick<Props, "t" | "health"> & { id: string }) => (
  <span data-fresh={`word-${id}`} data-word={word}>
    <State tone={TONES[word]}>{t.health.words[word]}</State>
  </span>
);

/** Explains the word; undefined if the word says enough. */
export function healthHint(t: Strings, { word, waitsSince, quietSince }: HealthProps, timeZone?: string) {
  const { hints } = t.health;
  const since = timeText(t, waitsSince ?? quietSince ?? 0, timeZone);
  if (word === "slow" || word === "quiet") return hints[word]({ since });
  return word === "off" ? hints.off : undefined;
}

type ComparedProps = Pick<Props, "t" | "timeZone"> & { title: string; compared: NonNullable<ChannelProps["compared"]> };

/** How far the channel is compared with the messenger's own list, and what that brought. */
export function ComparedLines({ t, timeZone, title, compared: { upTo, recovered, isBehind, gap } }: ComparedProps) {
  const at = (ms: number) => timeText(t, ms, timeZone);
  return (
    <section>
      <h2>{t.health.comparedTitle({ title })}</h2>
      <p>{t.health.comparedLead({ title })}</p>
      <p class="hint">{t.health.compared({ at: at(upTo), recovered })}</p>
      {isBehind && <p class="notice">{t.health.behind({ title, at: at(upTo) })}</p>}
      {gap && <p class="notice">{t.health.gap({ title, from: at(gap.from), to: at(gap.to) })}</p>}
    </section>
  );
}

type PastProps = Pick<Props, "t" | "timeZone"> & { title: string; past: NonNullable<ChannelProps["past"]> };

/** State of the import of messages from before the connection. */
export function PastLines({
  t,
  timeZone,
  title,
  past: { days, count, from = 0, completeFrom = from, ended },
}: PastProps) {
  return (
    <section>
      <h2>{t.account.past.label}</h2>
      <p class="hint">{t.health[ended === undefined ? "importing" : "imported"]({ days, count })}</p>
      {completeFrom > from && (
        <p class="hint">{t.health.importedPartly({ title, at: timeText(t, completeFrom, timeZone) })}</p>
      )}
    </section>
  );
}

/** Two weeks of messages as a bar chart drawn on the server, with the numbers for screen readers. */
export function Chart({ t, health: { days } }: Pick<Props, "t" | "health">) {
  const words = t.health;
  const sum = (of: "delivered" | "failed") => days.reduce((all, day) => all + day[of], 0);
  const date = dateFormat(t.language, { day: "numeric", month: "short", timeZone: "UTC" });
  const name = (day: string) => date.format(Date.parse(day));
  return (
    <>
      <h2>{words.chart}</h2>
      <BarChart
        label={words.sum({ delivered: sum("delivered"), failed: sum("failed") })}
        days={days.map(({ day, ...counts }) => ({ name: name(day), ...counts }))}
        words={words}
        format={(count) => numberFormat(t.language).format(count)}
      />
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
