import type { StandingProps, Strings } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props {
  t: Strings;
  id: string;
  standing?: StandingProps;
  /** Absent: UTC. */
  timeZone?: string;
}

/** What the messenger says of this login, and since when we know. */
export function Standing({ t, id, title, standing, timeZone }: Props & { title: string }) {
  if (!standing || standing.facts.length === 0) return null;
  return (
    <>
      <h2>{t.standing.title({ title })}</h2>
      <div data-fresh={`standing-${id}`}>
        <dl class="facts">
          {standing.facts.map(({ name, value, isBad }) => (
            <div>
              <dt>{name}</dt>
              <dd class={isBad ? "bad" : undefined}>{value}</dd>
            </div>
          ))}
        </dl>
        <p class="hint">{t.standing.asOf({ at: timeText(t, standing.at, timeZone) })}</p>
      </div>
    </>
  );
}

/** What of it asks for attention, although messages go through. */
export const Warnings = ({ id, standing }: Omit<Props, "t">) => (
  <div data-fresh={`warnings-${id}`}>
    {standing?.facts
      .filter(({ isBad }) => isBad)
      .map(({ name, value }) => (
        <p class="notice">
          {name}: <strong>{value}</strong>
        </p>
      ))}
  </div>
);
