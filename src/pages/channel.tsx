import type { FieldWords } from "gangway-messenger/features";
import { numberFormat } from "gangway-messenger/language";
import { ended } from "../domain/explanations.ts";
import { ChannelForm } from "./channel-form.tsx";
import { channelFaultText } from "./fault-text.ts";
import { Chart, ComparedLines, HealthLines, HealthWord, PastLines } from "./health.tsx";
import { Layout } from "./layout.tsx";
import { LoginLink } from "./login-link.tsx";
import { type ChannelProps, type Frame, type PartFrame, type Problem, type Strings, titleIn } from "./props.ts";
import { SmallForm } from "./small-form.tsx";
import { Standing, Warnings } from "./standing.tsx";
import { copyable, Picture, Steps } from "./steps.tsx";
import { Templates } from "./templates.tsx";
import { timeText } from "./time-text.ts";
import { TryIt } from "./trying.tsx";

interface Props extends Frame {
  view: ChannelProps;
  /** Absent: UTC. */
  timeZone?: string;
  formToken: string;
  done?: keyof Strings["done"];
  problem?: Problem;
}

/** A messenger: its state, its settings and how to remove it. */
export function ChannelPage({ view, timeZone, formToken, done, problem, ...frame }: Props) {
  const { t, home } = frame;
  return (
    <Layout {...frame} title={view.channel.name}>
      {done && (
        <p class="done" role="status">
          {t.done[done]}
        </p>
      )}
      <p>
        <a href={home}>{t.account.title}</a>
      </p>
      <ChannelCard t={t} home={home} {...view} timeZone={timeZone} formToken={formToken} problem={problem} />
    </Layout>
  );
}

type CardProps = ChannelProps & PartFrame & { timeZone?: string; formToken: string; problem?: Problem };

function ChannelCard(props: CardProps) {
  const { t, home, channel, title, health, timeZone, counts, hole, compared, past } = props;
  const { snippet, afterwards, link, standIn, sites, standing, templates, unreadable, formToken, problem } = props;
  const at = `${home}/channels/${encodeURIComponent(channel.id)}`;
  const refusal = problem?.typed.has("name") === false ? channelFaultText(t, problem.fault) : undefined;
  return (
    <section class="card channel" data-channel={channel.id}>
      <h1>
        {channel.name} <HealthWord t={t} id={channel.id} health={health} />{" "}
        {titleIn(t, title) !== channel.name && <span class="hint">{titleIn(t, title)}</span>}
      </h1>
      <div data-fresh={`figures-${channel.id}`}>
        <HealthLines t={t} health={health} timeZone={timeZone} />
        <Ledger t={t} counts={counts} hole={hole} />
        {compared && <ComparedLines {...{ t, compared, timeZone }} title={titleIn(t, title)} />}
        {past && <PastLines {...{ t, past, timeZone }} title={titleIn(t, title)} />}
      </div>
      <Trouble {...{ t, home, channel, formToken }} refusal={refusal} />
      <Warnings id={channel.id} standing={standing} />
      {unreadable && (
        <p class="problem" role="alert">
          {t.account.unreadable}
        </p>
      )}
      <SmallForm action={`${at}/test`} formToken={formToken} label={t.testing.button} of={channel.name} />
      {snippet && <Snippet t={t} id={`snippet-${channel.id}`} {...snippet} />}
      {afterwards && (
        <Afterwards t={t} id={`afterwards-${channel.id}`} isDone={hasCarried(health)} {...afterwards[t.language]} />
      )}
      {sites && <Sites t={t} id={channel.id} sites={sites} timeZone={timeZone} />}
      {!unreadable && <TryIt {...{ t, home, channel, snippet, link, standIn }} />}
      <Standing {...{ t, standing, timeZone }} id={channel.id} title={titleIn(t, title)} />
      {health.word !== "new" && <Chart t={t} health={health} />}
      {templates && <Templates {...{ t, channel, templates, at, formToken, timeZone }} />}
      {!unreadable && <ChannelSettings {...props} at={at} />}
      {channel.state === "active" && (
        <details>
          <summary>{t.health.pause}</summary>
          <p>{t.health.pauseAsk}</p>
          <SmallForm {...{ formToken, of: channel.name }} action={`${at}/pause`} label={t.health.pauseConfirm} />
        </details>
      )}
      <details>
        <summary>{t.account.remove}</summary>
        <p>{t.account.removeAsk}</p>
        <SmallForm
          {...{ formToken, of: channel.name, style: "danger" }}
          action={`${at}/remove`}
          label={t.account.removeConfirm}
        />
      </details>
    </section>
  );
}

function ChannelSettings({ t, home, channel, title, login, problem, ...props }: CardProps & { at: string }) {
  const { at, schema, words, unsure, formToken } = props;
  return (
    <>
      <h2>{t.account.edit}</h2>
      {login && (
        <>
          <LoginLink t={t} home={home} kind={channel.kind} label={t.logins.renew} />
          <p class="hint">{t.logins.renewHint({ title: titleIn(t, title) })}</p>
        </>
      )}
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
        typed={problem?.typed.has("name") ? problem.typed : undefined}
        fault={problem?.typed.has("name") ? problem.fault : undefined}
      />
      <p class="hint">
        <a href={`${at}/preview`}>{t.preview.title}</a>
      </p>
    </>
  );
}

/** Message counts, and an alert when they do not add up. */
export function Ledger({ t, counts, hole }: Pick<CardProps, "t" | "counts" | "hole">) {
  return (
    <>
      <ul class="counts">
        {(["waiting", "done", "dead", "held"] as const).map((state) => (
          <li class={counts[state] > 0 ? `count-${state}` : "none"}>
            <Count t={t} state={state} count={counts[state]} />
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

type CountProps = { t: Strings; state: keyof Strings["account"]["counts"]; count: number };

/** The number stands out, wherever the language puts it. */
function Count({ t, state, count }: CountProps) {
  const number = numberFormat(t.language).format(count);
  const [before, after] = t.account.counts[state]({ count }).split(number);
  return (
    <>
      {before}
      <strong>{number}</strong>
      {after}
    </>
  );
}

type TroubleProps = Pick<CardProps, "t" | "home" | "channel" | "formToken"> & {
  /** Why a button of the page has just failed: newer than the trouble, and mostly the same. */
  refusal?: string;
};

/** The trouble of a stopped or working channel, with a button to retry; of a paused one the button to resume it. */
export function Trouble({ t, home, channel, formToken, refusal }: TroubleProps) {
  const { id, name, state, trouble = "" } = channel;
  const resume = { action: `${home}/channels/${encodeURIComponent(id)}/resume`, formToken, of: name };
  const isPaused = state === "paused";
  const isTroubled = state === "stopped" || trouble !== "";
  return (
    <div data-fresh={`trouble-${id}`}>
      {(isTroubled || refusal) && (
        <div class="problem" role="alert">
          {refusal ?? t.account[state === "stopped" ? "stopped" : "troubled"]({ text: ended(trouble) })}
          {isTroubled && !isPaused && <SmallForm {...resume} label={t.account.resume} />}
        </div>
      )}
      {isPaused && (
        <>
          <p class="hint">{t.health.hints.paused}</p>
          <SmallForm {...resume} label={t.health.resume} />
        </>
      )}
    </div>
  );
}

type SitesProps = { t: Strings; id: string; sites: NonNullable<ChannelProps["sites"]>; timeZone?: string };

/** Where the snippet was seen; stays fresh, so that a shop's owner sees it arrive. */
function Sites({ t, id, sites, timeZone }: SitesProps) {
  const text = ({ origin, at, refused }: SitesProps["sites"][number]) =>
    t.trying[refused ? "refused" : "seen"]({ site: origin, at: timeText(t, at, timeZone) });
  return (
    <ul class="sites" data-fresh={`sites-${id}`}>
      {sites.length === 0 && <li>{t.trying.unseen}</li>}
      {sites.map((site) => (
        <li class={site.refused ? "notice" : undefined}>{text(site)}</li>
      ))}
    </ul>
  );
}

const hasCarried = ({ lastInboundAt, lastOutboundAt }: CardProps["health"]) =>
  lastInboundAt !== undefined || lastOutboundAt !== undefined;

type AfterwardsProps = { t: Strings; id: string; isDone: boolean } & FieldWords;

/** In sight until the first message, then folded: they may be needed again. */
function Afterwards({ t, id, isDone, label, steps = [] }: AfterwardsProps) {
  const list = <Steps t={t} id={id} steps={steps} />;
  return isDone ? (
    <details>
      <summary>{label}</summary>
      {list}
    </details>
  ) : (
    <>
      <h2>{label}</h2>
      {list}
    </>
  );
}

type SnippetProps = NonNullable<ChannelProps["snippet"]> & { t: Strings; id: string };

function Snippet({ t, id, line, words }: SnippetProps) {
  const { label, hint, picture } = words[t.language];
  return (
    <>
      <label for={id}>{label}</label>
      <textarea id={id} class="code" rows={3} readonly aria-describedby={`${id}-hint`} {...copyable(t)}>
        {line}
      </textarea>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      {picture && <Picture {...picture} />}
    </>
  );
}
