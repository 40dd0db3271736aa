import { ChannelForm } from "./channel-form.tsx";
import { channelFaultText } from "./fault-text.ts";
import { Layout } from "./layout.tsx";
import type { AccountProps, ChannelProps, Fault, Frame, Strings, Title } from "./props.ts";

interface Props extends Frame {
  view: AccountProps;
  /** How many messages were not delivered. */
  ended: { dead: number; held: number };
  formToken: string;
  done?: keyof Strings["done"];
  /** A refused form: the fault, the input, and the form itself (a kind or a channel id). */
  problem?: { fault: Fault; typed: URLSearchParams; at: string };
}

export function AccountPage({ view, ended, formToken, done, problem, ...frame }: Props) {
  const { t } = frame;
  return (
    <Layout {...frame} title={t.account.title}>
      {done && (
        <p class="done" role="status">
          {t.done[done]}
        </p>
      )}
      <AccountCard t={t} view={view} formToken={formToken} />
      <Ended t={t} ended={ended} />
      {problem && !shownAt(view, problem.at) && (
        <p class="problem" role="alert">
          {channelFaultText(t, problem.fault)}
        </p>
      )}
      {view.channels.length === 0 && <p class="notice">{t.account.none}</p>}
      {view.channels.map((channel) => (
        <ChannelCard
          t={t}
          {...channel}
          formToken={formToken}
          problem={problem?.at === channel.channel.id ? problem : undefined}
        />
      ))}
      {view.kinds.map(({ kind, title, schema, words, unsure }) => (
        <section class="card">
          <details open={view.channels.length === 0 || problem?.at === kind}>
            <summary>{t.account.add({ title: titleIn(t, title) })}</summary>
            <ChannelForm
              t={t}
              id={`add-${kind}`}
              action="/account/channels"
              formToken={formToken}
              kind={kind}
              schema={schema}
              words={words[t.language]}
              name={titleIn(t, title)}
              values={{}}
              unsure={unsure}
              submit={t.account.addButton}
              typed={problem?.at === kind ? problem.typed : undefined}
              fault={problem?.at === kind ? problem.fault : undefined}
            />
          </details>
        </section>
      ))}
    </Layout>
  );
}

const titleIn = ({ language }: Strings, title: Title): string => (typeof title === "string" ? title : title[language]);

function AccountCard({ t, view, formToken }: Pick<Props, "t" | "view" | "formToken">) {
  return (
    <>
      <section class="card account">
        <div>
          <h1>{t.account.title}</h1>
          <p>
            {t.account.crm}: <strong>{view.crmUrl.replace(/^https?:\/\//, "")}</strong>{" "}
            <span class={`badge ${view.state}`}>{t.account.state[view.state]}</span>
          </p>
          <p class="hint">
            {t.account.key({ end: view.keyEnd })} ·{" "}
            <a href={`/?account=${encodeURIComponent(view.crmUrl)}`}>{t.account.reconnect}</a> ·{" "}
            <a href="/account/disconnect">{t.disconnect.link}</a>
          </p>
        </div>
        <div class="small">
          <a class="button" href={view.crmUrl}>
            {t.account.back}
          </a>{" "}
          <SmallForm action="/account/leave" formToken={formToken} label={t.account.leave} />
        </div>
      </section>
      {t.account.stateHint[view.state] && <p class="notice">{t.account.stateHint[view.state]}</p>}
      {view.trouble && (
        <p class="problem" role="alert">
          {t.account.trouble({ text: view.trouble })}
        </p>
      )}
    </>
  );
}

function Ended({ t, ended: { dead, held } }: Pick<Props, "t" | "ended">) {
  if (dead + held === 0) return null;
  return (
    <p class={held > 0 ? "problem" : "notice"}>
      {[held > 0 && t.account.heldCount({ count: held }), dead > 0 && t.account.deadCount({ count: dead })]
        .filter(Boolean)
        .join(" ")}{" "}
      <a href="/account/undelivered">{t.undelivered.link}</a>
    </p>
  );
}

/** Whether the problem's form is on the page; otherwise the page shows the problem separately. */
const shownAt = (view: AccountProps, at: string): boolean =>
  view.kinds.some(({ kind }) => kind === at) || view.channels.some(({ channel }) => channel.id === at);

function SmallForm({
  action,
  formToken,
  label,
  style,
}: {
  action: string;
  formToken: string;
  label: string;
  style?: string;
}) {
  return (
    <form method="post" action={action} class="small">
      <input type="hidden" name="formToken" value={formToken} />
      <button type="submit" class={`button ${style ?? ""}`}>
        {label}
      </button>
    </form>
  );
}

type CardProps = ChannelProps & { t: Strings; formToken: string; problem?: Props["problem"] };

function ChannelCard(props: CardProps) {
  const { t, channel, title, counts, hole, snippet, unreadable, formToken, problem } = props;
  const at = `/account/channels/${encodeURIComponent(channel.id)}`;
  return (
    <section class="card channel" data-channel={channel.id}>
      <h2>
        {channel.name} {titleIn(t, title) !== channel.name && <span class="hint">{titleIn(t, title)}</span>}
      </h2>
      <Ledger t={t} counts={counts} hole={hole} />
      <Trouble t={t} channel={channel} action={`${at}/resume`} formToken={formToken} />
      {problem && problem.typed.get("name") === null && (
        <p class="problem" role="alert">
          {channelFaultText(t, problem.fault)}
        </p>
      )}
      {unreadable && (
        <p class="problem" role="alert">
          {t.account.unreadable}
        </p>
      )}
      {snippet && <Snippet t={t} id={`snippet-${channel.id}`} {...snippet} />}
      {!unreadable && <ChannelSettings {...props} at={at} />}
      <details>
        <summary>{t.account.remove}</summary>
        <p>{t.account.removeAsk}</p>
        <SmallForm action={`${at}/remove`} formToken={formToken} label={t.account.removeConfirm} style="danger" />
      </details>
    </section>
  );
}

function ChannelSettings({ t, channel, schema, words, unsure, formToken, problem, at }: CardProps & { at: string }) {
  return (
    <>
      <details open={problem !== undefined && problem.typed.get("name") !== null}>
        <summary>{t.account.edit}</summary>
        <ChannelForm
          t={t}
          id={channel.id}
          action={at}
          formToken={formToken}
          schema={schema}
          words={words[t.language]}
          name={channel.name}
          values={channel.settings as Record<string, unknown>}
          unsure={unsure}
          submit={t.account.save}
          typed={problem?.typed}
          fault={problem?.fault}
        />
      </details>
      <p class="hint">
        <a href={`${at}/preview`}>{t.preview.title}</a>
      </p>
    </>
  );
}

/** Message counts, and an alert when they do not add up. */
function Ledger({ t, counts, hole }: Pick<CardProps, "t" | "counts" | "hole">) {
  return (
    <>
      <ul class="counts">
        {(["waiting", "done", "dead", "held"] as const).map((state) => (
          <li class={counts[state] > 0 ? `count-${state}` : "none"}>
            <strong>{counts[state].toLocaleString(t.language)}</strong> {t.account.counts[state]}
          </li>
        ))}
      </ul>
      {hole !== 0 && (
        <p class="problem" role="alert">
          {hole > 0 ? t.account.lost({ events: hole }) : t.account.excess({ events: -hole })}
        </p>
      )}
    </>
  );
}

type TroubleProps = Pick<CardProps, "t" | "channel" | "formToken"> & { action: string };

/** The trouble of a stopped or working channel, with a button to retry. */
function Trouble({ t, channel: { state, trouble = "" }, action, formToken }: TroubleProps) {
  if (state !== "stopped" && !trouble) return null;
  return (
    <div class="problem" role="alert">
      {state === "stopped" ? t.account.stopped({ text: trouble }) : t.account.troubled({ text: trouble })}
      <SmallForm action={action} formToken={formToken} label={t.account.resume} />
    </div>
  );
}

type SnippetProps = NonNullable<ChannelProps["snippet"]> & { t: Strings; id: string };

function Snippet({ t, id, line, words }: SnippetProps) {
  const { label, hint } = words[t.language];
  return (
    <>
      <label for={id}>{label}</label>
      <textarea id={id} class="code" rows={3} readonly aria-describedby={`${id}-hint`}>
        {line}
      </textarea>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </>
  );
}
