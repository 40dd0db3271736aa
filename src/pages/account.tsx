import { listText } from "gangway-messenger/language";
import { Ledger, Trouble } from "./channel.tsx";
import { channelFaultText } from "./fault-text.ts";
import { HealthLines, HealthWord } from "./health.tsx";
import { Layout } from "./layout.tsx";
import {
  type AccountProps,
  type ChannelProps,
  type Fault,
  type Frame,
  type PartFrame,
  type Strings,
  titleIn,
} from "./props.ts";
import { SmallForm } from "./small-form.tsx";
import { Warnings } from "./standing.tsx";

interface Props extends Frame {
  view: AccountProps;
  /** How many messages were not delivered. */
  ended: { dead: number; held: number };
  formToken: string;
  done?: keyof Strings["done"];
  /** Of a form that is not on a page of its own. */
  fault?: Fault;
}

/** The account, its messengers and those that can be added. */
export function AccountPage({ view, ended, formToken, done, fault, ...frame }: Props) {
  const { t, home } = frame;
  return (
    <Layout {...frame} title={t.account.title}>
      {done && (
        <p class="done" role="status">
          {t.done[done]}
        </p>
      )}
      {fault && (
        <p class="problem" role="alert">
          {channelFaultText(t, fault)}
        </p>
      )}
      <AccountCard t={t} home={home} view={view} formToken={formToken} />
      <div data-fresh="ended">
        <Ended t={t} home={home} ended={ended} />
      </div>
      {view.channels.length === 0 && <p class="notice">{t.account.none}</p>}
      <Channels t={t} home={home} {...view} formToken={formToken} />
      <Gallery t={t} home={home} kinds={view.kinds} />
    </Layout>
  );
}

function AccountCard({ t, home, view, formToken }: Pick<Props, "t" | "home" | "view" | "formToken">) {
  return (
    <>
      <section class="card account">
        <div>
          <h1>{t.account.title}</h1>
          <p>
            {t.account.crm}: <strong>{view.crmUrl.replace(/^https?:\/\//, "")}</strong>{" "}
            <span data-fresh="state">
              <span class={`badge ${view.state}`}>{t.account.state[view.state]}</span>
            </span>
          </p>
          <p class="hint">
            {t.account.key({ end: view.keyEnd })} ·{" "}
            <a href={`/?account=${encodeURIComponent(view.crmUrl)}`}>{t.account.reconnect}</a> ·{" "}
            <a href={`${home}/messages`}>{t.stories.link}</a> · <a href={`${home}/history`}>{t.history.link}</a> ·{" "}
            <a href={`${home}/customers`}>{t.customers.link}</a> ·{" "}
            <a href={`${home}/disconnect`}>{t.disconnect.link}</a>
          </p>
        </div>
        <div class="small">
          <SmallForm action={`${home}/leave`} formToken={formToken} label={t.account.leave} />
        </div>
      </section>
      <div data-fresh="trouble">
        {t.account.stateHint[view.state] && <p class="notice">{t.account.stateHint[view.state]}</p>}
        {view.trouble && (
          <p class="problem" role="alert">
            {t.account.trouble({ text: view.trouble })}
          </p>
        )}
      </div>
    </>
  );
}

function Ended({ t, home, ended: { dead, held } }: Pick<Props, "t" | "home" | "ended">) {
  if (dead + held === 0) return null;
  return (
    <p class={held > 0 ? "problem" : "notice"}>
      {[held > 0 && t.account.heldCount({ count: held }), dead > 0 && t.account.deadCount({ count: dead })]
        .filter(Boolean)
        .join(" ")}{" "}
      <a href={`${home}/undelivered`}>{t.undelivered.link}</a>
    </p>
  );
}

/** Before the rest of a long list is folded. */
const MAX_UNFOLDED = 10;
const PRESSING = ["stopped", "failing", "troubled", "slow", "quiet"];

type ChannelsProps = PartFrame & Pick<AccountProps, "channels" | "timeZone"> & { formToken: string };

/** A long list is folded, but for what needs attention. */
function Channels({ channels, ...shared }: ChannelsProps) {
  const { t, home } = shared;
  if (channels.length <= MAX_UNFOLDED) return <Rows channels={channels} {...shared} />;
  const pressing = channels.filter(({ health }) => PRESSING.includes(health.word));
  const sorted = [...pressing, ...channels.filter((each) => !pressing.includes(each))];
  const folded = sorted.splice(Math.max(MAX_UNFOLDED, pressing.length));
  return (
    <>
      <div data-fresh="pressing">
        {pressing.length > 0 && (
          <p class="problem">
            {t.looks.pressing}{" "}
            {pressing.map(({ channel }, n) => (
              <>
                {n > 0 && ", "}
                <a href={pageOf(home, channel.id)}>{channel.name}</a>
              </>
            ))}
          </p>
        )}
      </div>
      <Rows channels={sorted} {...shared} />
      {folded.length > 0 && (
        <details>
          <summary>{t.looks.moreChannels({ count: folded.length })}</summary>
          <Rows channels={folded} {...shared} />
        </details>
      )}
    </>
  );
}

const pageOf = (home: string, id: string) => `${home}/channels/${encodeURIComponent(id)}`;

const Rows = ({ channels, ...shared }: ChannelsProps) => (
  <div class="channels">
    {channels.map((channel) => (
      <ChannelRow {...shared} {...channel} />
    ))}
  </div>
);

type RowProps = ChannelProps & PartFrame & { timeZone?: string; formToken: string };

function ChannelRow({ t, home, channel, title, health, counts, hole, standing, timeZone, formToken }: RowProps) {
  return (
    <section class="card row" data-channel={channel.id}>
      <h2>
        <a href={pageOf(home, channel.id)}>{channel.name}</a> <HealthWord t={t} id={channel.id} health={health} />{" "}
        {titleIn(t, title) !== channel.name && <span class="hint">{titleIn(t, title)}</span>}
      </h2>
      <div data-fresh={`figures-${channel.id}`}>
        <HealthLines t={t} health={health} timeZone={timeZone} isListed />
        <Ledger t={t} counts={counts} hole={hole} />
      </div>
      <Trouble t={t} home={home} channel={channel} formToken={formToken} />
      <Warnings id={channel.id} standing={standing} />
    </section>
  );
}

/** The messengers that can be added, with what each can do. */
function Gallery({ t, home, kinds }: Pick<AccountProps, "kinds"> & PartFrame) {
  return (
    <section class="card">
      <h2>{t.account.add}</h2>
      <ul class="gallery">
        {kinds.map(({ kind, title, about, abilities, variant }) => (
          <li>
            <a class="button" href={`${home}/add/${encodeURIComponent(kind)}${variant ? `/as/${variant.name}` : ""}`}>
              {titleIn(t, title)}
            </a>
            {about && <span>{about[t.language]}</span>}
            <span class="hint">
              {listText(
                t.language,
                abilities.map((ability) => t.abilities[ability]),
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
