import { Alert } from "gangway-ui/alert";
import type { StandingProps, Strings } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props {
  t: Strings;
  id: string;
  standing?: StandingProps;
  /** Default: UTC. */
  timeZone?: string;
}

/** What the messenger reports about this login, and when it did. */
export function Standing({ t, id, title, standing, timeZone }: Props & { title: string }) {
  if (!standing || standing.facts.length === 0) return null;
  return (
    <section class="card">
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
    </section>
  );
}

/** Facts that need attention although messages get through. */
export const Warnings = ({ id, standing }: Omit<Props, "t">) => (
  <div class="stack" data-fresh={`warnings-${id}`}>
    {standing?.facts
      .filter(({ isBad }) => isBad)
      .map(({ name, value }) => (
        <Alert tone="warning">
          {name}: <strong>{value}</strong>
        </Alert>
      ))}
  </div>
);
