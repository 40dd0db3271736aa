import { Alert } from "gangway-ui/alert";
import { Ask } from "gangway-ui/dialog";
import { Empty } from "gangway-ui/empty";
import { PageHead } from "gangway-ui/page-head";
import { Segments } from "gangway-ui/segments";
import { Console, type ConsoleFrame, Time } from "./frame.tsx";
import { type MessageProps, Messages } from "./messages.tsx";

/** As in the query: `account` is an id or CRM address, `from` and `to` are times in UTC. */
export interface WhichProps {
  state: "dead" | "held";
  code?: string;
  error?: string;
  account?: string;
  from?: string;
  to?: string;
}
export type BulkProps = "again" | "discard";

interface Figures {
  count: number;
  accounts: number;
  oldestAt?: number;
  newestAt?: number;
  more?: true;
}

export function addressOf(path: string, fields: object): string {
  const given = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value ? [[name, `${value}`]] : [],
  );
  return `${path}?${new URLSearchParams(given)}`;
}

const messagesOf = (count: number) => (count === 1 ? "one message" : `${count.toLocaleString("en")} messages`);
const accountsOf = (count: number) => (count === 1 ? "one account" : `${count.toLocaleString("en")} accounts`);
const nameOf = ({ code, error }: WhichProps) => error || code || "Whatever the reason";

const Sums = ({ count, accounts, oldestAt, newestAt, more }: Figures) => (
  <>
    {more && "More than "}
    {messagesOf(count)} of {accountsOf(accounts)}
    {oldestAt !== undefined && newestAt !== undefined && (
      <>
        , ended from <Time at={oldestAt} /> to <Time at={newestAt} /> UTC
      </>
    )}
  </>
);

interface ReasonProps extends ConsoleFrame {
  which: WhichProps;
  /** Why the filter cannot be used. */
  problem?: string;
  found?: Figures & { newest: MessageProps[] };
  /** What has just been done; `until`: messages that ended by then. */
  ran?: { what: BulkProps; done: number; failed: number; left: number; until: number };
}

/** Undelivered messages with one reason, in all accounts or one. */
export function ReasonPage({ which, problem, found, ran, ...frame }: ReasonProps) {
  const { state, ...filter } = which;
  return (
    <Console {...frame} title={nameOf(which)}>
      <PageHead
        crumbs={[{ text: "Undelivered", href: "/undelivered" }]}
        label="Where you are"
        title={nameOf(which)}
        lead={found && <Sums {...found} />}
      />
      {problem && (
        <Alert tone="danger" title="That filter cannot be used" role="alert">
          {problem}
        </Alert>
      )}
      {ran && <Ran which={which} formToken={frame.formToken} {...ran} />}
      <section class="card">
        <Segments
          label="State"
          segments={(["dead", "held"] as const).map((each) => ({
            text: each === "dead" ? "undelivered" : "held",
            href: addressOf("/undelivered/reason", { ...filter, state: each }),
            isCurrent: each === state,
          }))}
        />
        <Filters {...which} />
        {found?.more && (
          <Alert tone="warning" title="These are too many for one act">
            Narrow them by account or time.
          </Alert>
        )}
        {found && found.count > 0 && !found.more && (
          <p class="buttons">
            {BUTTONS.map(([what, text]) => (
              <a class="button secondary" href={addressOf("/undelivered/all", { ...which, what })} data-dialog>
                {text} all {found.count.toLocaleString("en")}
              </a>
            ))}
          </p>
        )}
      </section>
      {found && (
        <section class="card">
          {found.count === 0 && <Empty icon="inbox" title="Nothing is like that" />}
          {found.count > found.newest.length && <p class="hint">The newest {found.newest.length}:</p>}
          <Messages of={found.newest} />
        </section>
      )}
    </Console>
  );
}

const BUTTONS: [BulkProps, string][] = [
  ["again", "Send again"],
  ["discard", "Discard"],
];

function Filters({ state, code = "", error = "", account = "", from = "", to = "" }: WhichProps) {
  return (
    <form action="/undelivered/reason">
      {Object.entries({ state, code, error }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label for="account">Account: its id or CRM address; empty for all</label>
      <input id="account" name="account" value={account} maxlength={200} />
      <label for="from">Ended from (UTC)</label>
      <input id="from" name="from" type="datetime-local" value={from} />
      <label for="to">Ended until (UTC)</label>
      <input id="to" name="to" type="datetime-local" value={to} />
      <button type="submit" class="button secondary">
        Filter
      </button>
    </form>
  );
}

const DONE: Record<BulkProps, string> = { again: "will be sent again", discard: "discarded" };

function Ran({
  what,
  done,
  failed,
  left,
  until,
  which,
  formToken,
}: NonNullable<ReasonProps["ran"]> & { which: WhichProps; formToken?: string }) {
  return (
    <Alert
      tone={left > 0 || failed > 0 ? "warning" : "success"}
      title={`${messagesOf(done)} ${DONE[what]}`}
      role="status"
    >
      {failed > 0 && <p>{messagesOf(failed)} could not be: unreadable, or decided on by somebody else meanwhile.</p>}
      {left > 0 && (
        <form method="post" action="/undelivered/all">
          <p>{messagesOf(left)} left: this takes some seconds a time.</p>
          {Object.entries({ formToken, ...which, what, until: `${until}` }).map(([name, value]) => (
            <input type="hidden" name={name} value={value ?? ""} />
          ))}
          <button type="submit" class="button secondary">
            Go on
          </button>
        </form>
      )}
    </Alert>
  );
}

interface AskProps extends ConsoleFrame {
  formToken: string;
  which: WhichProps;
  what: BulkProps;
  /** Result of the dry run. */
  found: Figures & { until: number; unreadable: number; unsure: number };
}

/** Shows the dry run's result, with the button that carries it out. */
export function AskBulkPage({ which, what, found, formToken, ...frame }: AskProps) {
  const { count, unreadable, unsure, until } = found;
  const able = what === "again" ? count - unreadable : count;
  const title = what === "again" ? `Send ${messagesOf(able)} again?` : `Discard ${messagesOf(able)}?`;
  return (
    <Console {...frame} formToken={formToken} title={title}>
      <Ask
        title={title}
        action="/undelivered/all"
        fields={{ formToken, ...(which as unknown as Record<string, string>), what, until: String(until) }}
        cancel={{ text: "Cancel", href: addressOf("/undelivered/reason", which) }}
        answers={
          <button type="submit" class={what === "again" ? "button primary" : "button danger"}>
            {what === "again" ? "Send again" : "Discard"}
          </button>
        }
      >
        <p>
          <strong>{nameOf(which)}</strong>: <Sums {...found} />.
        </p>
        {unreadable > 0 && (
          <p>
            {messagesOf(unreadable)} cannot be read{what === "again" ? ", and so not be sent" : ""}.
          </p>
        )}
        <p>{what === "again" ? AGAIN[which.state] : DISCARD[which.state]}</p>
        {what === "again" && unsure > 0 && (
          <p>{messagesOf(unsure)} may have been delivered: their customers may get them twice.</p>
        )}
        <p class="hint">
          Only what had ended by <Time at={until} /> UTC: what fails meanwhile stays. The audit names each message.
        </p>
      </Ask>
    </Console>
  );
}

const AGAIN = {
  dead: "Each goes to the end of its chat, in the old order, and is retried for an hour at least.",
  held: "Each goes to the end of its chat, in the old order.",
};
const DISCARD = {
  dead: "They leave the lists of their accounts; a user of the account can restore one for a day.",
  held: "They are given up, though they may have been delivered, and leave the lists of their accounts.",
};
