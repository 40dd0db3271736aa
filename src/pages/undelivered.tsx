import { numberFormat } from "gangway-messenger/language";
import { Alert } from "gangway-ui/alert";
import { Empty } from "gangway-ui/empty";
import { sentence } from "../domain/explanations.ts";
import { Layout } from "./layout.tsx";
import { MessagesHead } from "./messages-head.tsx";
import type { Frame, PartFrame, Strings, UndeliveredProps } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props extends Frame {
  view: UndeliveredProps;
  formToken: string;
  done?: { what: keyof Strings["undelivered"]["done"] | "unselected"; count: number };
}

/** Decisions on one message, and on many. */
export const ON_ONE = { held: ["again", "arrived", "drop"], dead: ["again", "discard"] } as const;
const ON_MANY = { held: ["again", "drop"], dead: ["again", "discard"] } as const;

/** The messages that were not delivered: by reason, page by page, with decisions on one, some or all of them. */
export function UndeliveredPage({ view, formToken, done, ...frame }: Props) {
  const { t, home, timeZone } = frame;
  const words = t.undelivered;
  const { state } = view.filter;
  return (
    <Layout {...frame} title={t.looks.sections.messages} times={view.rows.length > 0}>
      {done && (
        <Alert tone={done.count === 0 ? "warning" : "success"} role={done.count === 0 ? "alert" : "status"}>
          {done.what === "unselected" ? words.unselected : words.done[done.what]({ count: done.count })}
        </Alert>
      )}
      <MessagesHead {...frame} current={state} />
      {view.groups.length > 1 && <Groups t={t} home={home} view={view} />}
      {view.rows.length === 0 ? (
        <section class="card">
          <Empty icon="circle-check" title={words.none} />
        </section>
      ) : (
        <List t={t} home={home} {...{ view, timeZone, formToken }} />
      )}
      {view.next !== undefined && (
        <p>
          <a class="button" href={addressOf(home, { ...view.filter, before: view.next })}>
            {words.older}
          </a>
        </p>
      )}
      <p class="hint">{words.hint}</p>
    </Layout>
  );
}

type Filter = Partial<UndeliveredProps["filter"]> & { before?: number };

function addressOf(home: string, { state, channelId, code, before }: Filter): string {
  const query = { state, channel: channelId, reason: code, before: before?.toString() };
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${home}/undelivered?${new URLSearchParams(given)}`;
}

/** The text of a code that another version may have stored. */
const known = (texts: Record<string, string>, code: string): string | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;
const reasonText = ({ undelivered: { codes } }: Strings, code: string): string => known(codes, code) ?? codes.general;

/** How many there are for each reason, on each channel; each leads to its own. */
function Groups({ t, home, view: { filter, groups, rows } }: Pick<Props, "view"> & PartFrame) {
  const words = t.undelivered;
  const { state, channelId, code } = filter;
  const isFiltered = channelId !== undefined || code !== undefined;
  // A code says less than what the messenger said, if it said the same of all.
  const reasonOf = (group: Pick<(typeof groups)[number], "channelId" | "code" | "channelName">) => {
    const own = rows.filter((row) => row.code === group.code && row.channelName === group.channelName);
    const [first] = own;
    const isSame = first?.isPlain && own.every(({ error }) => error === first.error);
    return isSame ? sentence(first.error) : reasonText(t, group.code);
  };
  return (
    <nav class="card groups" aria-label={words.why}>
      {groups.map((group) => {
        const isShown = group.channelId === channelId && group.code === code;
        return (
          <a
            href={addressOf(home, { state, channelId: group.channelId, code: group.code })}
            aria-current={isShown ? "page" : undefined}
          >
            <strong>{numberFormat(t.language).format(group.count)} ×</strong>
            <span>{state === "held" ? words.heldShort : reasonOf(group)}</span>
            <span class="hint">{group.channelName || words.gone}</span>
          </a>
        );
      })}
      {isFiltered && <a href={addressOf(home, { state })}>{words.allReasons}</a>}
    </nav>
  );
}

type ListProps = Pick<Props, "view" | "timeZone" | "formToken"> & PartFrame;

/** A bar with what can be done appears once a message is selected; the style sheet alone shows it. */
function List({ t, home, view, timeZone, formToken }: ListProps) {
  const words = t.undelivered;
  const { state, channelId = "", code = "" } = view.filter;
  const what = ON_MANY[state];
  return (
    <form method="post" action={`${home}/undelivered`} class="stack selecting">
      {/* The default of the Enter key: none of the decisions. */}
      <button type="submit" disabled hidden />
      <input type="hidden" name="formToken" value={formToken} />
      {Object.entries({ state, channel: channelId, reason: code }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="choices">
        <label class="select-all" hidden>
          <input type="checkbox" data-select-all /> {words.selectAll}
        </label>
        <details>
          <summary>{words.all({ count: view.fitting })}</summary>
          {what.map((each) => (
            <button
              type="submit"
              name="what"
              value={`${each} all`}
              class={`button ${each === "again" ? "" : "danger"}`}
            >
              {words.onAll[each]({ count: view.fitting })}
            </button>
          ))}
        </details>
      </div>
      <ul class="card jobs">
        {view.rows.map((job) => (
          <Row t={t} home={home} job={job} timeZone={timeZone} />
        ))}
      </ul>
      <div class="card bar" data-selected={words.selectedCount}>
        {what.map((each) => (
          <button type="submit" name="what" value={each} class={`button ${each === "again" ? "primary" : "danger"}`}>
            {words.selected[each]}
          </button>
        ))}
      </div>
    </form>
  );
}

/** The messenger's own reason, where it is in the reader's words; else what its code means, and what was said. */
function Reason({ t, job: { state, code, error, isPlain } }: { t: Strings; job: RowProps["job"] }) {
  if (state === "dead" && isPlain) return <>{sentence(error)}</>;
  return (
    <>
      {state === "held" ? t.undelivered.held : reasonText(t, code)}
      {error && <span class="hint detail">{error}</span>}
    </>
  );
}

interface RowProps extends PartFrame, Pick<Props, "timeZone"> {
  job: UndeliveredProps["rows"][number];
}

function Row({ t, home, job, timeZone }: RowProps) {
  const words = t.undelivered;
  const who = job.customer ?? job.chat ?? (job.channelName || words.gone);
  // A removed channel cannot send.
  const decisions = ON_ONE[job.state].filter((what) => job.channelName || what === "discard");
  return (
    <li>
      <input type="checkbox" name="job" value={String(job.id)} aria-label={words.select({ who })} />
      <div>
        <strong>{who}</strong>
        {job.customer && job.chat && <span class="hint"> {job.chat}</span>}
        {job.words && <q class="detail">{job.words}</q>}
        <span class="hint detail">
          {job.channelName || words.gone} · {known(words.ways, job.direction) ?? job.direction} ·{" "}
          <time datetime={new Date(job.at).toISOString()}>{timeText(t, job.at, timeZone)}</time>
        </span>
      </div>
      <div class="reason">
        <Reason t={t} job={job} />
      </div>
      <div class="decisions">
        <a class="button slim ghost" href={`${home}/messages/${job.id}`} aria-label={`${t.stories.story}: ${who}`}>
          {t.stories.story}
        </a>
        {decisions.map((what) => (
          <button
            type="submit"
            formaction={`${home}/jobs/${job.id}/${what}`}
            class="button slim"
            aria-label={`${words.decide[what]}: ${who}`}
          >
            {words.decide[what]}
          </button>
        ))}
      </div>
    </li>
  );
}
