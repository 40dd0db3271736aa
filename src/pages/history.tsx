import { Empty } from "gangway-ui/empty";
import { PageHead } from "gangway-ui/page-head";
import { State } from "gangway-ui/state";
import { Timeline } from "gangway-ui/timeline";
import { Toast } from "gangway-ui/toast";
import { Layout } from "./layout.tsx";
import type { Frame, HistoryProps, Strings } from "./props.ts";
import { SmallForm } from "./small-form.tsx";
import { timeText } from "./time-text.ts";

interface Props extends Frame {
  view: HistoryProps;
  formToken: string;
  /** Whether a visit has just been ended. */
  ended: boolean;
}

/** Where the account's page is open, and who changed what. */
export function HistoryPage({ view, formToken, ended, ...frame }: Props) {
  const { t, home, timeZone } = frame;
  const words = t.history;
  return (
    <Layout {...frame} title={t.looks.sections.activity} times>
      {ended && <Toast>{words.ended}</Toast>}
      <PageHead label={t.looks.crumbs} title={t.looks.sections.activity} />
      <section class="card">
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
      </section>
      <section class="card">
        <h2>{words.acts}</h2>
        {view.acts.length === 0 && <Empty icon="activity" title={words.none} />}
        <Timeline
          moments={view.acts.map((act) => ({
            tone: "neutral",
            text: (
              <>
                {actionText(t, act)}
                {act.channelName && <strong> {act.channelName}</strong>}
                <span class="hint detail">
                  {words.actors[act.actor]}
                  {act.browser && ` · ${act.browser}`}
                </span>
              </>
            ),
            time: <time datetime={new Date(act.at).toISOString()}>{timeText(t, act.at, timeZone)}</time>,
          }))}
        />
      </section>
    </Layout>
  );
}

type VisitProps = { t: Strings; visit: HistoryProps["visits"][number]; timeZone?: string };

function Visit({ t, visit, timeZone }: VisitProps) {
  const words = t.history;
  const [started, used] = [visit.startedAt, visit.usedAt].map((at) => timeText(t, at, timeZone)) as [string, string];
  return (
    <span>
      <strong>{visit.endsAt === undefined ? (visit.browser ?? words.browser) : t.supportVisit.visit}</strong>{" "}
      {visit.isThis && <State tone="neutral">{words.thisOne}</State>}
      <span class="hint detail">
        {visit.endsAt !== undefined
          ? t.supportVisit.until({ started, until: timeText(t, visit.endsAt, timeZone) })
          : visit.startedAt === 0
            ? words.usedOnly({ used })
            : words.used({ started, used })}
      </span>
    </span>
  );
}

/** The act's text; acts of another version are shown as recorded. */
export function actionText(
  { history: { actions } }: Strings,
  { action, count }: Pick<HistoryProps["acts"][number], "action" | "count">,
): string {
  const text = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined;
  return text === undefined ? action : typeof text === "string" ? text : text({ count });
}
