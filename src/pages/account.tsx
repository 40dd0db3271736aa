import { Ledger, Trouble } from "./channel.tsx";
import { channelFaultText } from "./fault-text.ts";
import { HealthLines, HealthWord } from "./health.tsx";
import { Layout } from "./layout.tsx";
import { type AccountProps, type ChannelProps, type Fault, type Frame, type Strings, titleIn } from "./props.ts";
import { SmallForm } from "./small-form.tsx";

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
  const { t } = frame;
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
      <AccountCard t={t} view={view} formToken={formToken} />
      <Ended t={t} ended={ended} />
      {view.channels.length === 0 && <p class="notice">{t.account.none}</p>}
      {view.channels.map((channel) => (
        <ChannelRow t={t} {...channel} timeZone={view.timeZone} formToken={formToken} />
      ))}
      <Gallery t={t} kinds={view.kinds} />
    </Layout>
  );
}

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
            <a href="/account/messages">{t.stories.link}</a> · <a href="/account/history">{t.history.link}</a> ·{" "}
            <a href="/account/customers">{t.customers.link}</a> · <a href="/account/disconnect">{t.disconnect.link}</a>
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

type RowProps = ChannelProps & { t: Strings; timeZone?: string; formToken: string };

function ChannelRow({ t, channel, title, health, counts, hole, timeZone, formToken }: RowProps) {
  const at = `/account/channels/${encodeURIComponent(channel.id)}`;
  return (
    <section class="card row" data-channel={channel.id}>
      <h2>
        <a href={at}>{channel.name}</a> <HealthWord t={t} id={channel.id} health={health} />{" "}
        {titleIn(t, title) !== channel.name && <span class="hint">{titleIn(t, title)}</span>}
      </h2>
      <div data-fresh={`figures-${channel.id}`}>
        <HealthLines t={t} health={health} timeZone={timeZone} />
        <Ledger t={t} counts={counts} hole={hole} />
      </div>
      <Trouble t={t} channel={channel} formToken={formToken} />
    </section>
  );
}

/** The messengers that can be added, with what each can do. */
function Gallery({ t, kinds }: Pick<AccountProps, "kinds"> & { t: Strings }) {
  const list = new Intl.ListFormat(t.language);
  return (
    <section class="card">
      <h2>{t.account.add}</h2>
      <ul class="gallery">
        {kinds.map(({ kind, title, abilities }) => (
          <li>
            <a class="button" href={`/account/add/${encodeURIComponent(kind)}`}>
              {titleIn(t, title)}
            </a>
            <span class="hint">{list.format(abilities.map((ability) => t.abilities[ability]))}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
