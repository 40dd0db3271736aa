import { listText, numberFormat } from "gangway-messenger/language";
import { PageHead } from "gangway-ui/page-head";
import { Layout } from "./layout.tsx";
import type { FoundProps, Frame, PartFrame, ReceiptProps } from "./props.ts";
import { SearchForm } from "./search-form.tsx";
import { timeText } from "./time-text.ts";

interface Person {
  channelId: string;
  chat: string;
  customer?: string;
}

/** Hidden fields that identify a customer in a form. */
function Hidden({ person, formToken }: { person: Person; formToken: string }) {
  const { channelId, chat, customer = "" } = person;
  return Object.entries({ formToken, channel: channelId, chat, customer }).map(([name, value]) => (
    <input type="hidden" name={name} value={value} />
  ));
}

interface SearchProps extends Frame {
  formToken: string;
  /** The searched text and the matches. */
  text?: string;
  found?: FoundProps[];
}

/** Finds customers in the stored messages. */
export function CustomersPage({ formToken, text = "", found, ...frame }: SearchProps) {
  const { t, home, timeZone } = frame;
  const words = t.customers;
  return (
    <Layout {...frame} title={words.title} times={Boolean(found?.length)}>
      <PageHead label={t.looks.crumbs} title={t.looks.sections.customers} />
      <section class="card">
        <SearchForm action={`${home}/customers`} {...{ formToken, words, text, found }} />
        {found && found.length > 0 && <Found t={t} home={home} {...{ found, formToken, timeZone }} />}
      </section>
    </Layout>
  );
}

function Found({
  t,
  home,
  found,
  formToken,
  timeZone,
}: Required<Pick<SearchProps, "found">> & Pick<SearchProps, "formToken" | "timeZone"> & PartFrame) {
  const words = t.customers;
  return (
    <table>
      <thead>
        <tr>
          {[words.who, words.found].map((head) => (
            <th scope="col">{head}</th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {found.map((each) => (
          <tr>
            <td>
              <strong>{each.name ?? each.chat}</strong>
              {each.name && <span class="hint"> {each.customer ?? each.chat}</span>}
              {each.words && <q class="detail">{each.words}</q>}
              <span class="hint detail">
                {each.channelName || words.gone} ·{" "}
                <time datetime={new Date(each.lastAt).toISOString()}>{timeText(t, each.lastAt, timeZone)}</time>
              </span>
            </td>
            <td data-head={words.found}>{numberFormat(t.language).format(each.count)}</td>
            <td>
              <form method="post" action={`${home}/customers/export`} class="small">
                <Hidden person={each} formToken={formToken} />
                <button type="submit" class="button slim" aria-label={`${words.export} ${each.name ?? each.chat}`}>
                  {words.export}
                </button>
              </form>
              <form method="post" action={`${home}/customers/confirm`} class="small">
                <Hidden person={each} formToken={formToken} />
                <input type="hidden" name="who" value={each.name ?? each.chat} />
                <button type="submit" class="button slim" aria-label={`${words.erase} ${each.name ?? each.chat}`}>
                  {words.erase}
                </button>
              </form>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Asks for confirmation, and says what is erased and what is not. */
export function ErasePage({
  person,
  who,
  channelName,
  formToken,
  ...frame
}: Frame & { person: Person; who: string; channelName: string; formToken: string }) {
  const { t, home } = frame;
  const words = t.customers;
  return (
    <Layout {...frame} title={words.confirmTitle}>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[{ text: t.looks.sections.customers, href: `${home}/customers` }]}
        title={words.confirmTitle}
      />
      <section class="card form">
        <p>{words.lead({ who, channel: channelName || words.gone })}</p>
        <p>{words.what}</p>
        <h2>{words.stays}</h2>
        <ul>
          {Object.values(words.staysList).map((text) => (
            <li>{text}</li>
          ))}
        </ul>
        <p class="hint">{words.again}</p>
        <form method="post" action={`${home}/customers/erase`} class="choices">
          <Hidden person={person} formToken={formToken} />
          <button type="submit" class="button danger">
            {words.confirm}
          </button>
          <a class="button" href={`${home}/customers`}>
            {words.cancel}
          </a>
        </form>
      </section>
    </Layout>
  );
}

const PARTS = ["messages", "files", "webhooks", "notes"] as const;
/** Number of backups listed by their time. */
const MAX_BACKUPS = 5;

/** What was erased, without contents. `told`: for an account, whether its CRM and its messengers were told. */
export function ReceiptPage({
  receipt,
  told,
  ...frame
}: Frame & { receipt: ReceiptProps; told?: { crm: boolean; messengers: boolean } }) {
  const { t, home, timeZone } = frame;
  const words = t.customers;
  const dates = receipt.backups.slice(0, MAX_BACKUPS).map((at) => timeText(t, at, timeZone));
  const title = told === undefined ? words.receipt : words.accountReceipt;
  return (
    <Layout {...frame} title={title} times>
      <PageHead label={t.looks.crumbs} title={title} />
      <section class="card form" data-receipt>
        {told && <p>{told.crm ? words.told : words.notTold}</p>}
        {told && !told.messengers && <p>{t.doneAtStart.messengersLeft}</p>}
        <p>{words.receiptLead({ at: timeText(t, receipt.at, timeZone) })}</p>
        <ul>
          {PARTS.filter((what) => receipt[what] > 0).map((what) => (
            <li>{words[what]({ count: receipt[what] })}</li>
          ))}
        </ul>
        {!receipt.gone && <p>{words.later}</p>}
        <p>
          {words.backups({
            count: receipt.backups.length,
            dates: listText(t.language, dates),
          })}
        </p>
        <p class="hint">{words.keep}</p>
        <p>
          <a class="button" href={told === undefined ? `${home}/customers` : "/"}>
            {told === undefined ? words.cancel : t.toStart}
          </a>
        </p>
      </section>
    </Layout>
  );
}
