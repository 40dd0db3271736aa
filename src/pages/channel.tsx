import type { FieldWords } from "gangway-messenger/features";
import { numberFormat } from "gangway-messenger/language";
import { Alert } from "gangway-ui/alert";
import { Checklist } from "gangway-ui/checklist";
import { DialogLink } from "gangway-ui/dialog";
import { Glyph } from "gangway-ui/glyph";
import { PageHead } from "gangway-ui/page-head";
import { Tabs } from "gangway-ui/tabs";
import { Toast } from "gangway-ui/toast";
import { WAS_STOPPED } from "../domain/delivery.ts";
import { ended } from "../domain/explanations.ts";
import { NewSecretForm, REPLACING, SettingsForm } from "./channel-form.tsx";
import { channelFaultText } from "./fault-text.ts";
import { Chart, ComparedLines, HealthWord, healthHint, PastLines } from "./health.tsx";
import { Layout } from "./layout.tsx";
import { LoginLink } from "./login-link.tsx";
import { AccountPause } from "./pause.tsx";
import { type ChannelProps, type Frame, type PartFrame, type Problem, type Strings, titleIn } from "./props.ts";
import { SmallForm } from "./small-form.tsx";
import { Standing, Warnings } from "./standing.tsx";
import { copyable, Picture, Steps } from "./steps.tsx";
import { Templates } from "./templates.tsx";
import { timeText } from "./time-text.ts";
import { TryIt } from "./try-out.tsx";

interface Props extends Frame {
  view: ChannelProps;
  formToken: string;
  done?: keyof Strings["done"];
  /** Number of answers that failed while the channel was stopped. */
  failedMeanwhile?: number;
  problem?: Problem;
}

/** A channel's health, setup and settings, and how to remove it. */
export function ChannelPage({ view, formToken, done, failedMeanwhile = 0, problem, ...frame }: Props) {
  const { t, home, timeZone } = frame;
  const { channel, title, glyph, health } = view;
  const at = `${home}/channels/${encodeURIComponent(channel.id)}`;
  const props = { ...view, t, home, timeZone, formToken, problem, at, vendor: frame.moduleName };
  const name = titleIn(t, title);
  // A toast would vanish; this offer stays until the messages are dealt with.
  const isOffered = failedMeanwhile > 0 && channel.state === "active";
  return (
    <Layout {...frame} title={channel.name} times>
      {done && !isOffered && <Toast>{t.done[done]}</Toast>}
      {done && isOffered && (
        <Alert tone="success" role="status">
          {t.done[done]}
          <FailedMeanwhile {...{ t, home, formToken }} id={channel.id} count={failedMeanwhile} />
        </Alert>
      )}
      <PageHead
        label={t.looks.crumbs}
        crumbs={[{ text: t.looks.sections.channels, href: home }]}
        title={channel.name}
        glyph={<Glyph shape={glyph} />}
        lead={
          <>
            <HealthWord t={t} id={channel.id} health={health} />
            {name !== channel.name && <span> · {name}</span>}
          </>
        }
        actions={<SmallForm action={`${at}/test`} formToken={formToken} label={t.testing.button} of={channel.name} />}
      />
      <section class="channel stack" data-channel={channel.id}>
        <Troubles {...props} />
        <Tabs
          label={t.looks.parts}
          open={
            problem && isOfSettings(problem) ? "settings" : isSetUp(view) && !hasCarried(health) ? "setup" : undefined
          }
          tabs={[
            { id: "overview", text: t.looks.tabs.overview, content: <Overview {...props} /> },
            isSetUp(props) && { id: "setup", text: t.looks.tabs.setup, content: <SetUp {...props} /> },
            view.templates && {
              id: "templates",
              text: t.templates.title,
              content: <Templates {...{ t, channel, at, formToken, timeZone }} templates={view.templates} />,
            },
            !view.unreadable && { id: "settings", text: t.account.edit, content: <ChannelSettings {...props} /> },
            { id: "danger", text: t.looks.tabs.danger, content: <Danger {...props} /> },
          ]}
        />
      </section>
    </Layout>
  );
}

type MeanwhileProps = PartFrame & { id: string; count: number; formToken: string };

/** Offers to resend what failed while the channel was stopped. */
function FailedMeanwhile({ t, home, id, count, formToken }: MeanwhileProps) {
  const filter = { state: "dead", channel: id, reason: WAS_STOPPED };
  return (
    <>
      <p>
        {t.account.failedMeanwhile({ count })}{" "}
        <a href={`${home}/undelivered?${new URLSearchParams(filter)}`}>{t.undelivered.link}</a>
      </p>
      <SmallForm
        action={`${home}/undelivered`}
        {...{ formToken, style: "primary" }}
        label={t.undelivered.onAll.again({ count })}
        fields={{ ...filter, what: "again all" }}
      />
    </>
  );
}

/** Whether the settings form was refused, rather than the form for a new secret, or a button. */
const isOfSettings = ({ typed }: Problem) => typed.has("name") && !typed.has(REPLACING);

type CardProps = ChannelProps &
  PartFrame & { at: string; timeZone?: string; formToken: string; problem?: Problem; vendor: string };

/** What needs attention, shown above all tabs. */
function Troubles(props: CardProps) {
  const { t, home, channel, health, timeZone, hole, standing, unreadable, problem } = props;
  const hint = healthHint(t, health, timeZone);
  const refusal = problem?.typed.has("name") === false ? channelFaultText(t, problem.fault) : undefined;
  const waiting = props.counts.waiting;
  return (
    <>
      <div data-fresh={`state-${channel.id}`} class="stack">
        <AccountPause t={t} vendor={props.vendor} reason={props.accountPause} />
        {health.failing && (
          <Alert tone="danger" title={t.health.hints.failing(health.failing)}>
            <SinceAndWaiting t={t} since={health.failing.since} {...{ waiting, timeZone }} />
            <a href={`${home}/undelivered`}>{t.undelivered.link}</a>
          </Alert>
        )}
        {hint && <Alert tone="warning">{hint}</Alert>}
        <Hole t={t} hole={hole} />
      </div>
      <Trouble {...props} refusal={refusal} />
      <Warnings id={channel.id} standing={standing} />
      {unreadable && (
        <Alert tone="danger" role="alert">
          {t.account.unreadable}
        </Alert>
      )}
    </>
  );
}

type SinceProps = { t: Strings; since?: number; waiting: number; timeZone?: string };

/** Since when the trouble lasts, and how many messages wait. */
function SinceAndWaiting({ t, since, waiting, timeZone }: SinceProps) {
  const texts = [
    ...(since === undefined ? [] : [t.health.since({ at: timeText(t, since, timeZone) })]),
    ...(waiting === 0 ? [] : [t.health.wait({ count: waiting })]),
  ];
  return texts.length === 0 ? null : <p>{texts.join(" ")}</p>;
}

/** Figures, the chart of two weeks, and until the first answer the steps left to do. */
function Overview(props: CardProps) {
  const { t, channel, title, health, counts, compared, past, timeZone, standing } = props;
  const name = titleIn(t, title);
  return (
    <div class="split">
      <div class="stack">
        <div class="stack" data-fresh={`figures-${channel.id}`}>
          <Figures t={t} health={health} counts={counts} timeZone={timeZone} />
          {(compared || past) && (
            <div class="card">
              {compared && <ComparedLines {...{ t, compared, timeZone }} title={name} />}
              {past && <PastLines {...{ t, past, timeZone }} title={name} />}
            </div>
          )}
          {health.word !== "new" && (
            <section class="card">
              <Chart t={t} health={health} />
            </section>
          )}
        </div>
        <Standing {...{ t, standing, timeZone }} id={channel.id} title={name} />
      </div>
      {!isSetUp(props) && <Aside {...props} />}
    </div>
  );
}

/** Column beside the tab that is open first. */
const Aside = (props: CardProps) => (
  <div class="stack">
    <FirstSteps {...props} />
    {!props.unreadable && <TryIt {...props} />}
  </div>
);

function Figures({ t, health, counts, timeZone }: Pick<CardProps, "t" | "health" | "counts" | "timeZone">) {
  const { delivered = 0, failed = 0 } = health.days.at(-1) ?? {};
  const format = numberFormat(t.language);
  const times = [
    health.lastInboundAt !== undefined && t.health.lastInbound({ at: timeText(t, health.lastInboundAt, timeZone) }),
    health.lastOutboundAt !== undefined && t.health.lastOutbound({ at: timeText(t, health.lastOutboundAt, timeZone) }),
  ].filter((each) => each !== false);
  return (
    <>
      <div class="figure-cards">
        <div class="card">
          <div>{t.health.deliveredTodayTitle}</div>
          <p class="figure">{format.format(delivered)}</p>
        </div>
        <div class="card">
          <div>{t.health.failedTodayTitle}</div>
          <p class={failed > 0 ? "figure bad" : "figure"}>{format.format(failed)}</p>
        </div>
        <div class="card">
          <div>{t.health.everTitle}</div>
          <Ledger t={t} counts={counts} />
        </div>
      </div>
      {times.length > 0 && <p class="hint">{times.join(" · ")}</p>}
    </>
  );
}

/** Steps for a new channel, shown until an agent's answer has reached a customer. */
function FirstSteps({ t, channel, health }: CardProps) {
  const isAnswered = health.lastOutboundAt !== undefined;
  const { title, done, connected, message, answer } = t.looks.firstSteps;
  return (
    <div data-fresh={`first-steps-${channel.id}`}>
      {!isAnswered && (
        <section class="card">
          <h2>{title}</h2>
          <Checklist
            done={done}
            steps={[
              { text: connected, isDone: true },
              { text: message, isDone: health.lastInboundAt !== undefined },
              { text: answer, isDone: false },
            ]}
          />
        </section>
      )}
    </div>
  );
}

const hasCarried = ({ lastInboundAt, lastOutboundAt }: CardProps["health"]) =>
  lastInboundAt !== undefined || lastOutboundAt !== undefined;

/** Whether something has to be set up on the other side. */
export const isSetUp = ({ snippet, afterwards, sites }: Pick<ChannelProps, "snippet" | "afterwards" | "sites">) =>
  snippet !== undefined || afterwards !== undefined || sites !== undefined;

/** Instructions for the other side; this tab opens first until the channel has carried a message. */
function SetUp(props: CardProps) {
  const { t, channel, snippet, afterwards, sites, timeZone } = props;
  return (
    <div class="split">
      <section class="card">
        {snippet && <Snippet t={t} id={`snippet-${channel.id}`} {...snippet} />}
        {sites && <Sites t={t} id={channel.id} sites={sites} timeZone={timeZone} />}
        {afterwards && <Afterwards t={t} id={`afterwards-${channel.id}`} {...afterwards[t.language]} />}
      </section>
      <Aside {...props} />
    </div>
  );
}

/** Actions that stop the channel, temporarily or for good. */
function Danger({ t, channel, at, formToken }: CardProps) {
  return (
    <>
      {channel.state === "active" && (
        <section class="card form">
          <h2>{t.health.pause}</h2>
          <p>{t.health.pauseAsk}</p>
          <SmallForm {...{ formToken, of: channel.name }} action={`${at}/pause`} label={t.health.pauseConfirm} />
        </section>
      )}
      <section class="card form">
        <h2>{t.account.remove}</h2>
        <p>{t.account.removeAsk}</p>
        <DialogLink href={`${at}/remove`} style="danger">
          {t.account.removeConfirm}
        </DialogLink>
      </section>
    </>
  );
}

function ChannelSettings(props: CardProps) {
  const { t, home, channel, title, login, problem, at, formToken } = props;
  const refused = problem && isOfSettings(problem) ? problem : undefined;
  return (
    <section class="card form">
      <h2>{t.account.edit}</h2>
      {login && (
        <>
          <LoginLink t={t} home={home} kind={channel.kind} label={t.logins.renew} />
          <p class="hint">{t.logins.renewHint({ title: titleIn(t, title) })}</p>
        </>
      )}
      <SettingsForm
        {...{ t, formToken }}
        id={channel.id}
        action={at}
        view={props}
        typed={refused?.typed}
        fault={refused?.fault}
      />
      <p class="hint">
        <a href={`${at}/preview`}>{t.preview.title}</a>
      </p>
    </section>
  );
}

/** Message counts; zeros are omitted. */
export function Ledger({ t, counts }: Pick<CardProps, "t" | "counts">) {
  const states = (["waiting", "done", "dead", "held"] as const).filter(
    (state) => state === "done" || counts[state] > 0,
  );
  return (
    <ul class="counts">
      {states.map((state) => (
        <li class={`count-${state}`}>
          <Count t={t} state={state} count={counts[state]} />
        </li>
      ))}
    </ul>
  );
}

/** Warns of messages that the ledger misses or counts twice. */
const Hole = ({ t, hole }: Pick<CardProps, "t" | "hole">) =>
  hole === 0 ? null : (
    <Alert tone="danger" role="alert">
      {hole > 0 ? t.account.lost({ events: hole }) : t.account.excess({ events: -hole })}
    </Alert>
  );

type CountProps = { t: Strings; state: keyof Strings["account"]["counts"]; count: number };

/** Emphasizes the number, wherever the language puts it. */
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

type TroubleProps = CardProps & {
  /** Why a button on the page has just failed: newer than the trouble, and usually the same. */
  refusal?: string;
};

/**
 * The trouble of a stopped or working channel, with a button to retry; for a paused channel a button to resume it,
 * unless the vendor has paused it.
 */
function Trouble({ refusal, ...props }: TroubleProps) {
  const { t, home, channel, formToken, at, login, schema, words, unsure, unreadable, problem, timeZone } = props;
  const { id, name, state, pauseReason, trouble = "" } = channel;
  const resume = { action: `${home}/channels/${encodeURIComponent(id)}/resume`, formToken, of: name };
  const waiting = props.counts.waiting;
  const isPaused = state === "paused";
  const isTroubled = state === "stopped" || trouble !== "";
  return (
    <div class="stack" data-fresh={`trouble-${id}`}>
      {(isTroubled || refusal) && (
        <Alert
          tone="danger"
          role="alert"
          title={refusal ?? t.account[state === "stopped" ? "stopped" : "troubled"]({ text: ended(trouble) })}
        >
          {isTroubled && <SinceAndWaiting t={t} since={channel.troubleAt} {...{ waiting, timeZone }} />}
          {state === "stopped" && login && (
            <LoginLink t={t} home={home} kind={channel.kind} label={t.logins.renew} isFirst />
          )}
          {state === "stopped" && !login && !unreadable && (
            <NewSecretForm
              {...{ t, formToken, schema, unsure, name }}
              id={id}
              action={at}
              words={words[t.language]}
              values={channel.settings as Record<string, unknown>}
              fault={problem?.typed.has(REPLACING) ? problem.fault : undefined}
            />
          )}
          {isTroubled && !isPaused && <SmallForm {...resume} label={t.account.resume} />}
        </Alert>
      )}
      {pauseReason && <VendorPause {...props} reason={pauseReason} />}
      {isPaused && !pauseReason && (
        <Alert tone="info" title={t.health.hints.paused}>
          {!isTroubled && <SinceAndWaiting t={t} waiting={waiting} />}
          <SmallForm {...resume} label={t.health.resume} />
        </Alert>
      )}
    </div>
  );
}

const VendorPause = ({ t, vendor, reason, counts: { waiting } }: CardProps & { reason: string }) => (
  <Alert tone="danger" title={t.account.pausedBy({ vendor, reason })}>
    <p>{t.account.pausedChannelHint({ vendor })}</p>
    <SinceAndWaiting t={t} waiting={waiting} />
  </Alert>
);

type SitesProps = { t: Strings; id: string; sites: NonNullable<ChannelProps["sites"]>; timeZone?: string };

/** Sites where the snippet was seen; refreshed, so that a shop's owner sees it appear. */
function Sites({ t, id, sites, timeZone }: SitesProps) {
  const text = ({ origin, at, refused }: SitesProps["sites"][number]) =>
    t.tryOut[refused ? "refused" : "seen"]({ site: origin, at: timeText(t, at, timeZone) });
  return (
    <ul class="sites" data-fresh={`sites-${id}`}>
      {sites.length === 0 && <li>{t.tryOut.unseen}</li>}
      {sites.map((site) => (
        <li class={site.refused ? "notice" : undefined}>{text(site)}</li>
      ))}
    </ul>
  );
}

type AfterwardsProps = { t: Strings; id: string } & FieldWords;

function Afterwards({ t, id, label, steps = [] }: AfterwardsProps) {
  return (
    <>
      <h2>{label}</h2>
      <Steps t={t} id={id} steps={steps} />
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
