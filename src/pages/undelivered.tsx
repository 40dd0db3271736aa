import { numberFormat } from "gangway-messenger/language";
import { sentence } from "../domain/explanations.ts";
import { Layout } from "./layout.tsx";
import type { Frame, PartFrame, Strings, UndeliveredProps } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props extends Frame {
  view: UndeliveredProps;
  /** Absent: UTC. */
  timeZone?: string;
  formToken: string;
  done?: { what: keyof Strings["undelivered"]["done"]; count: number };
}

/** Decisions on one message, and on many. */
const ON_ONE = { held: ["again", "arrived", "drop"], dead: ["again", "discard"] } as const;
const ON_MANY = { held: ["again", "drop"], dead: ["again", "discard"] } as const;

/** The messages that were not delivered: filtered, page by page, with decisions on one, some or all of them. */
export function UndeliveredPage({ view, timeZone, formToken, done, ...frame }: Props) {
  const { t, home } = frame;
  const words = t.undelivered;
  const { state } = view.filter;
  return (
    <Layout {...frame} title={words.title}>
      {done && (
        <p class="done" role="status">
          {words.done[done.what]({ count: done.count })}
        </p>
      )}
      <section class="card">
        <h1>{words.title}</h1>
        <p class="hint">{words.hint}</p>
        <nav class="choices" aria-label={words.states}>
          {(["held", "dead"] as const).map((each) => (
            <a
              class="button"
              href={addressOf(home, { state: each })}
              aria-current={each === state ? "page" : undefined}
            >
              {words.state[each]({ count: view.totals[each] })}
            </a>
          ))}
          <a class="button" href={home}>
            {t.account.title}
          </a>
        </nav>
        {view.totals[state] > 0 && <Filter t={t} home={home} view={view} />}
        {view.rows.length === 0 ? <p>{words.none}</p> : <List t={t} home={home} {...{ view, timeZone, formToken }} />}
        {view.next !== undefined && (
          <p>
            <a class="button" href={addressOf(home, { ...view.filter, before: view.next })}>
              {words.older}
            </a>
          </p>
        )}
      </section>
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

function Filter({ t, home, view: { filter, channels, codes } }: Pick<Props, "view"> & PartFrame) {
  const words = t.undelivered;
  const counted = (text: string, count: number) => `${text} (${numberFormat(t.language).format(count)})`;
  return (
    <form method="get" action={`${home}/undelivered`} class="filter">
      <input type="hidden" name="state" value={filter.state} />
      <div>
        <label for="channel">{words.where}</label>
        <select id="channel" name="channel">
          <option value="">{words.allChannels}</option>
          {channels.map(({ id, name, count }) => (
            <option value={id} selected={id === filter.channelId}>
              {counted(name || words.gone, count)}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="reason">{words.why}</label>
        <select id="reason" name="reason">
          <option value="">{words.allReasons}</option>
          {codes.map(({ code, count }) => (
            <option value={code} selected={code === filter.code}>
              {counted(reasonText(t, code), count)}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="button">
        {words.show}
      </button>
    </form>
  );
}

type ListProps = Pick<Props, "view" | "timeZone" | "formToken"> & PartFrame;

function List({ t, home, view, timeZone, formToken }: ListProps) {
  const words = t.undelivered;
  const { state, channelId = "", code = "" } = view.filter;
  const what = ON_MANY[state];
  return (
    <form method="post" action={`${home}/undelivered`}>
      <input type="hidden" name="formToken" value={formToken} />
      {Object.entries({ state, channel: channelId, reason: code }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="choices">
        {what.map((each) => (
          <button type="submit" name="what" value={each} class="button">
            {words.selected[each]}
          </button>
        ))}
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
      <table>
        <thead>
          <tr>
            <td />
            {[words.who, words.when, words.why].map((head) => (
              <th scope="col">{head}</th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {view.rows.map((job) => (
            <Row t={t} home={home} job={job} timeZone={timeZone} />
          ))}
        </tbody>
      </table>
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
    <tr>
      <td>
        <input type="checkbox" name="job" value={String(job.id)} aria-label={words.select({ who })} />
      </td>
      <td>
        <strong>{who}</strong>
        {job.customer && job.chat && <span class="hint"> {job.chat}</span>}
        {job.words && <q class="detail">{job.words}</q>}
        <span class="hint detail">
          {job.channelName || words.gone} · {known(words.ways, job.direction) ?? job.direction}
        </span>
      </td>
      <td>
        <time datetime={new Date(job.at).toISOString()}>{timeText(t, job.at, timeZone)}</time>
      </td>
      <td>
        <Reason t={t} job={job} />
        <a class="detail" href={`${home}/messages/${job.id}`} aria-label={`${t.stories.story}: ${who}`}>
          {t.stories.story}
        </a>
      </td>
      <td>
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
      </td>
    </tr>
  );
}
