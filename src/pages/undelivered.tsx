import { numberFormat } from "gangway-messenger/language";
import { Alert } from "gangway-ui/alert";
import { DialogLink } from "gangway-ui/dialog";
import { Empty } from "gangway-ui/empty";
import { Toast } from "gangway-ui/toast";
import { sentence } from "../domain/explanations.ts";
import { Layout } from "./layout.tsx";
import { MessagesHead } from "./messages-head.tsx";
import type { Frame, PartFrame, Strings, UndeliveredProps } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props extends Frame {
  view: UndeliveredProps;
  formToken: string;
  done?: { what: keyof Strings["undelivered"]["done"] | "unselected"; count: number; undo?: number };
}

/** Possible decisions on one message, and on many. */
export const ON_ONE = {
  held: ["again", "arrived", "drop"],
  dead: ["again", "discard"],
  dropped: ["restore"],
} as const;
/** Decisions that need the channel, so a removed channel does not offer them. */
export const SENDS: string[] = ["again", "arrived", "drop"];
export const ON_MANY = { held: ["again", "drop"], dead: ["again", "discard"] } as const;

/** The undelivered messages: by reason, page by page, with decisions on one, some or all. */
export function UndeliveredPage({ view, formToken, done, ...frame }: Props) {
  const { t, home, timeZone } = frame;
  const words = t.undelivered;
  const { state } = view.filter;
  return (
    <Layout {...frame} title={t.looks.sections.messages} times={view.rows.length > 0}>
      {done && <Done {...{ t, home, done, view, formToken }} />}
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
          <a class="button" href={addressOf(`${home}/undelivered`, { ...view.filter, before: view.next })}>
            {words.older}
          </a>
        </p>
      )}
      <p class="hint">
        {state === "held" && words.held} {words.hint}
      </p>
    </Layout>
  );
}

type DoneProps = PartFrame & Pick<Props, "view" | "formToken"> & { done: NonNullable<Props["done"]> };

function Done({ t, home, done: { what, count, undo }, view: { filter }, formToken }: DoneProps) {
  const words = t.undelivered;
  const text = what === "unselected" ? words.unselected : words.done[what]({ count });
  if (count === 0)
    return (
      <Alert tone="warning" role="alert">
        {text}
      </Alert>
    );
  const { state, channelId = "", code = "" } = filter;
  const fields = { formToken, undo: String(undo), state, channel: channelId, reason: code };
  return (
    <Toast
      action={
        undo !== undefined && (
          <form method="post" action={`${home}/undelivered`}>
            {Object.entries(fields).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <button type="submit" name="what" value="restore" class="button slim">
              {words.undo}
            </button>
          </form>
        )
      }
    >
      {text}
    </Toast>
  );
}

type Filter = Partial<UndeliveredProps["filter"]> & { before?: number };

/** Address of the filtered list, or of the question about all its messages. */
export function addressOf(page: string, { state, channelId, code, before }: Filter): string {
  const query = { state, channel: channelId, reason: code, before: before?.toString() };
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${page}?${new URLSearchParams(given)}`;
}

/** The text for a code; another version may have stored an unknown one. */
const known = (texts: Record<string, string>, code: string): string | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;
const reasonText = ({ undelivered: { codes } }: Strings, code: string): string => known(codes, code) ?? codes.general;

/** The messenger's own reason if all messages of the group share it, since it says more than the code. */
export function reasonOf(t: Strings, { filter, rows }: Props["view"], group: Props["view"]["groups"][number]): string {
  if (filter.state === "held") return t.undelivered.heldShort;
  const own = rows.filter((row) => row.code === group.code && row.channelName === group.channelName);
  const [first] = own;
  const isSame = first?.isPlain && own.every(({ error }) => error === first.error);
  return isSame ? sentence(first.error) : reasonText(t, group.code);
}

/** Counts by reason and channel; each links to its filtered list. */
function Groups({ t, home, view }: Pick<Props, "view"> & PartFrame) {
  const words = t.undelivered;
  const { filter, groups } = view;
  const { state, channelId, code } = filter;
  const isFiltered = channelId !== undefined || code !== undefined;
  return (
    <nav class="card groups" aria-label={words.why}>
      {groups.map((group) => {
        const isShown = group.channelId === channelId && group.code === code;
        return (
          <a
            href={addressOf(`${home}/undelivered`, { state, channelId: group.channelId, code: group.code })}
            aria-current={isShown ? "page" : undefined}
          >
            <strong>{numberFormat(t.language).format(group.count)} ×</strong>
            <span>{reasonOf(t, view, group)}</span>
            <span class="hint">{group.channelName || words.gone}</span>
          </a>
        );
      })}
      {isFiltered && <a href={addressOf(`${home}/undelivered`, { state })}>{words.allReasons}</a>}
    </nav>
  );
}

type ListProps = Pick<Props, "view" | "timeZone" | "formToken"> & PartFrame;

/** The style sheet alone shows the bar of decisions once a message is selected. */
function List({ t, home, view, timeZone, formToken }: ListProps) {
  const words = t.undelivered;
  const { state, channelId = "", code = "" } = view.filter;
  const what = ON_MANY[state];
  return (
    <form method="post" action={`${home}/undelivered`} class="stack selecting">
      {/* Makes Enter submit nothing: a disabled default button comes before the decisions. */}
      <button type="submit" disabled hidden />
      <input type="hidden" name="formToken" value={formToken} />
      {Object.entries({ state, channel: channelId, reason: code }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="choices">
        <label class="select-all" hidden>
          <input type="checkbox" data-select-all /> {words.selectAll}
        </label>
        <DialogLink href={addressOf(`${home}/undelivered/all`, view.filter)} style="slim">
          {words.all({ count: view.fitting })}
        </DialogLink>
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

/** The messenger's reason if it is explained in the reader's language; else the code's meaning, then the original. */
function Reason({ t, job: { state, code, error, isPlain } }: { t: Strings; job: RowProps["job"] }) {
  if (state === "dead" && isPlain) return <>{sentence(error)}</>;
  return (
    <>
      {state === "held" ? t.undelivered.heldShort : reasonText(t, code)}
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
  const decisions = ON_ONE[job.state].filter((what) => job.channelName || !SENDS.includes(what));
  return (
    <li>
      <input type="checkbox" name="job" value={String(job.id)} aria-label={words.select({ who })} />
      <div>
        <a class="who" href={`${home}/messages/${job.id}`} aria-label={`${t.stories.story}: ${who}`}>
          {who}
        </a>
        {job.customer && job.chat && <span class="hint"> {job.chat}</span>}
        <span class="hint detail">
          <time datetime={new Date(job.at).toISOString()}>{timeText(t, job.at, timeZone)}</time> ·{" "}
          {job.channelName || words.gone} · {known(words.ways, job.direction) ?? job.direction}
          {job.words && (
            <>
              {" "}
              · <q>{job.words}</q>
            </>
          )}
        </span>
      </div>
      <div class="reason">
        <Reason t={t} job={job} />
      </div>
      <div class="decisions">
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
