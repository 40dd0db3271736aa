import { Alert } from "gangway-ui/alert";
import { Empty } from "gangway-ui/empty";
import { Glyph } from "gangway-ui/glyph";
import { Icon } from "gangway-ui/icon";
import { PageHead } from "gangway-ui/page-head";
import { Sparkline } from "gangway-ui/sparkline";
import { Toast } from "gangway-ui/toast";
import { ended } from "../domain/explanations.ts";
import { channelFaultText } from "./fault-text.ts";
import { Gallery } from "./gallery.tsx";
import { HealthWord, healthHint } from "./health.tsx";
import { Layout } from "./layout.tsx";
import { AccountPause } from "./pause.tsx";
import {
  type AccountProps,
  type ChannelProps,
  type Fault,
  type Frame,
  type PartFrame,
  type Strings,
  titleIn,
} from "./props.ts";
import { agoText } from "./time-text.ts";

interface Props extends Frame {
  view: AccountProps;
  done?: keyof Strings["done"];
  /** Fault of a form that has no page of its own. */
  fault?: Fault;
}

/** The account's channels, or what can be connected if there are none. */
export function AccountPage({ view, done, fault, ...frame }: Props) {
  const { t, home, visit, timeZone } = frame;
  const { channels, now } = view;
  return (
    <Layout {...frame} title={t.looks.sections.channels} times>
      {done && <Toast>{t.done[done]}</Toast>}
      {fault && (
        <Alert tone="danger" role="alert">
          {channelFaultText(t, fault)}
        </Alert>
      )}
      <PageHead
        label={t.looks.crumbs}
        title={t.looks.sections.channels}
        actions={
          channels.length > 0 && (
            <a class="button primary" href={`${home}/add`}>
              <Icon name="plus" />
              {t.account.add}
            </a>
          )
        }
      />
      <AccountState t={t} home={home} view={view} vendor={frame.moduleName} />
      <div data-fresh="undelivered">{visit && <Ended t={t} home={home} ended={visit.ended} />}</div>
      {channels.length === 0 ? (
        <>
          <Empty icon="zap" title={t.account.none}>
            <p>{t.account.noneHint}</p>
          </Empty>
          <Gallery t={t} home={home} kinds={view.kinds} />
        </>
      ) : (
        <Channels {...{ t, home, channels, timeZone, now }} vendor={frame.moduleName} />
      )}
    </Layout>
  );
}

function AccountState({
  t,
  vendor,
  view: { state, pauseReason, trouble },
}: Pick<Props, "view"> & PartFrame & { vendor: string }) {
  const hint = t.account.stateHint[state];
  return (
    <div data-fresh="trouble" class="stack">
      <AccountPause {...{ t, vendor }} reason={pauseReason} />
      {hint && (
        <Alert tone={state === "frozen" ? "danger" : "warning"} title={t.account.state[state]}>
          <p>{hint}</p>
        </Alert>
      )}
      {trouble && (
        <Alert tone="danger" role="alert">
          {t.account.trouble({ text: trouble })}
        </Alert>
      )}
    </div>
  );
}

function Ended({ t, home, ended: { dead, held } }: PartFrame & { ended: { dead: number; held: number } }) {
  if (dead + held === 0) return null;
  return (
    <Alert tone={held > 0 ? "danger" : "warning"}>
      {[held > 0 && t.account.heldCount({ count: held }), dead > 0 && t.account.deadCount({ count: dead })]
        .filter(Boolean)
        .join(" ")}{" "}
      <a href={`${home}/undelivered`}>{t.undelivered.link}</a>
    </Alert>
  );
}

/** Number of channels shown before the rest of a long list is folded. */
const MAX_UNFOLDED = 10;
const PRESSING = ["stopped", "failing", "troubled", "slow", "quiet"];

type ChannelsProps = PartFrame & Pick<AccountProps, "channels" | "now"> & { timeZone?: string; vendor: string };

/** Channels that need attention come first; the rest of a long list is folded. */
function Channels({ channels, ...shared }: ChannelsProps) {
  const { t } = shared;
  const isPressing = ({ health }: ChannelProps) => PRESSING.includes(health.word);
  const pressing = channels.filter(isPressing);
  const sorted = [...pressing, ...channels.filter((each) => !isPressing(each))];
  const folded = sorted.splice(Math.max(MAX_UNFOLDED, pressing.length));
  return (
    <>
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

const Rows = ({ channels, ...shared }: ChannelsProps) => (
  <div class="card channels">
    {channels.map((channel) => (
      <ChannelRow {...shared} {...channel} />
    ))}
  </div>
);

type RowProps = ChannelProps & PartFrame & { timeZone?: string; now: number; vendor: string };

/** Kind, health, chart, counts and last message of a channel; zeros are omitted. */
function ChannelRow({
  t,
  home,
  channel,
  title,
  glyph,
  health,
  hole,
  counts,
  standing,
  unreadable,
  timeZone,
  now,
  vendor,
}: RowProps) {
  const name = titleIn(t, title);
  const lastAt = Math.max(health.lastInboundAt ?? 0, health.lastOutboundAt ?? 0);
  return (
    <section class="row" data-channel={channel.id}>
      <Glyph shape={glyph} />
      <div>
        <h2>
          <a href={`${home}/channels/${encodeURIComponent(channel.id)}`}>{channel.name}</a>
        </h2>
        {name !== channel.name && <span class="hint">{name}</span>}
      </div>
      <HealthWord t={t} id={channel.id} health={health} />
      <div class="figures" data-fresh={`figures-${channel.id}`}>
        <Sparkline
          values={health.days.map(({ delivered }) => delivered)}
          failures={health.days.map(({ failed }) => failed)}
        />
        <RowCounts t={t} health={health} counts={counts} />
        {lastAt > 0 ? <time datetime={new Date(lastAt).toISOString()}>{agoText(t, now - lastAt)}</time> : <span />}
        <Why {...{ t, channel, health, hole, standing, unreadable, timeZone, vendor }} />
      </div>
      <Icon name="chevron-right" />
    </section>
  );
}

type WhyProps = Pick<RowProps, "t" | "channel" | "health" | "hole" | "standing" | "unreadable" | "timeZone" | "vendor">;

/** Explains a bad word in one line; the channel's page says what to do. */
function Why({ t, channel, health, hole, standing, unreadable, timeZone, vendor }: WhyProps) {
  const { trouble = "", state, pauseReason: reason } = channel;
  const bad = [
    ...(reason ? [ended(t.account.pausedBy({ vendor, reason }))] : []),
    ...(unreadable ? [t.account.unreadable] : []),
    ...(health.failing ? [t.health.hints.failing(health.failing)] : []),
    ...(state !== "paused" && trouble ? [ended(trouble)] : []),
    ...(hole === 0 ? [] : [hole > 0 ? t.account.lost({ events: hole }) : t.account.excess({ events: -hole })]),
  ];
  // Do not repeat that the account is off: the page says so above.
  const hint = bad.length === 0 && health.word !== "off" && healthHint(t, health, timeZone);
  const warned = [
    ...(hint ? [hint] : []),
    ...(standing?.facts ?? []).filter(({ isBad }) => isBad).map(({ name, value }) => `${name}: ${value}`),
  ];
  return (
    <>
      {bad.length > 0 && <p class="why bad">{bad.join(" ")}</p>}
      {warned.length > 0 && <p class="why">{warned.join(" · ")}</p>}
    </>
  );
}

function RowCounts({ t, health: { days }, counts }: Pick<RowProps, "t" | "health" | "counts">) {
  const { delivered = 0, failed = 0 } = days.at(-1) ?? {};
  const isUsed = counts.done + counts.dead + counts.held + counts.waiting > 0;
  // A row has room for two counts, the most pressing ones; the channel's page shows all.
  const shown = [
    counts.held > 0 && { text: t.account.counts.held({ count: counts.held }), style: "count-held" },
    failed > 0 && { text: t.health.failedToday({ count: failed }), style: "count-dead" },
    counts.waiting > 0 && { text: t.account.counts.waiting({ count: counts.waiting }) },
    delivered > 0 && { text: t.health.deliveredToday({ count: delivered }) },
  ]
    .filter((each) => each !== false)
    .slice(0, 2);
  if (shown.length === 0) return <span class="hint">{t.health[isUsed ? "noneToday" : "noneYet"]}</span>;
  return (
    <ul class="counts">
      {shown.map(({ text, style }) => (
        <li class={style}>{style ? <strong>{text}</strong> : text}</li>
      ))}
    </ul>
  );
}
