import { Layout } from "./layout.tsx";
import type { Frame, HistoryProps, Strings } from "./props.ts";
import { SmallForm } from "./small-form.tsx";
import { timeText } from "./time-text.ts";

interface Props extends Frame {
  view: HistoryProps;
  /** Absent: UTC. */
  timeZone?: string;
  formToken: string;
  /** A visit was just ended. */
  ended: boolean;
}

/** Where the account's page is open, and who changed what. */
export function HistoryPage({ view, timeZone, formToken, ended, ...frame }: Props) {
  const { t, home } = frame;
  const words = t.history;
  return (
    <Layout {...frame} title={words.title}>
      {ended && (
        <p class="done" role="status">
          {words.ended}
        </p>
      )}
      <section class="card">
        <h1>{words.title}</h1>
        <h2>{words.visits}</h2>
        <p class="hint">{words.visitsHint}</p>
        <ul class="rows">
          {view.visits.map((visit) => (
            <li>
              <Visit t={t} visit={visit} timeZone={timeZone} />
              {!visit.isThis && (
                <SmallForm
                  action={`${home}/visits/${encodeURIComponent(visit.id)}/end`}
                  formToken={formToken}
                  label={words.end}
                />
              )}
            </li>
          ))}
        </ul>
        {view.visits.length > 2 && (
          <SmallForm action={`${home}/visits/end`} formToken={formToken} label={words.endOthers} />
        )}
        <h2>{words.acts}</h2>
        {view.acts.length === 0 && <p>{words.none}</p>}
        <ul class="rows">
          {view.acts.map((act) => (
            <li>
              <span>
                {actionText(t, act)}
                {act.channelName && <strong> {act.channelName}</strong>}
                <span class="hint detail">
                  <time datetime={new Date(act.at).toISOString()}>{timeText(t, act.at, timeZone)}</time> ·{" "}
                  {words.actors[act.actor]}
                </span>
              </span>
            </li>
          ))}
        </ul>
        <p>
          <a class="button" href={home}>
            {t.account.title}
          </a>
        </p>
      </section>
    </Layout>
  );
}

type VisitProps = { t: Strings; visit: HistoryProps["visits"][number]; timeZone?: string };

function Visit({ t, visit, timeZone }: VisitProps) {
  const words = t.history;
  const used = timeText(t, visit.usedAt, timeZone);
  return (
    <span>
      <strong>{visit.browser ?? words.browser}</strong> {visit.isThis && <span class="badge">{words.thisOne}</span>}
      <span class="hint detail">
        {visit.startedAt === 0
          ? words.usedOnly({ used })
          : words.used({ started: timeText(t, visit.startedAt, timeZone), used })}
      </span>
    </span>
  );
}

/** An act of another version is shown as it is recorded. */
export function actionText(
  { history: { actions } }: Strings,
  { action, count }: Pick<HistoryProps["acts"][number], "action" | "count">,
): string {
  const text = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined;
  return text === undefined ? action : typeof text === "string" ? text : text({ count });
}
