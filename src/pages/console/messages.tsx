import { Alert } from "gangway-ui/alert";
import { PageHead } from "gangway-ui/page-head";
import { Timeline } from "gangway-ui/timeline";
import { SearchForm } from "../search-form.tsx";
import { SmallForm } from "../small-form.tsx";
import { Console, type ConsoleFrame, hostOf, Standing, Time } from "./frame.tsx";

export interface MessageProps {
  id: number;
  at: number;
  accountId: string;
  crmUrl: string;
  channelName: string;
  direction: "inbound" | "outbound";
  state: string;
  customer?: string;
  words?: string;
}

const WORDS = {
  hint: "Of all accounts, the newest first. An id or a number is found however old it is, other texts among the newest 20,000 messages, then further back.",
  text: "A customer, words, an error, an id in the CRM or the messenger, or the job of a line of the log",
  search: "Search",
  none: ({ text }: { text: string }) => `Nothing contains “${text}”.`,
  further: "Search further back",
};

interface FindProps extends ConsoleFrame {
  formToken: string;
  text: string;
  /** Absent before a search. */
  found?: MessageProps[];
  reached?: ReachedProps;
}

/** A list in which each message links to its history. */
export const Messages = ({ of }: { of: MessageProps[] }) => (
  <ul class="rows">
    {of.map((message) => (
      <li>
        <span>
          <a href={`/messages/${message.id}`}>{message.words ?? `Message ${message.id}`}</a>
          <span class="hint detail">
            {message.direction === "inbound" ? "From" : "To"} {message.customer ?? "a customer"} · {message.channelName}{" "}
            · {hostOf(message.crmUrl)} · <Time at={message.at} />
          </span>
        </span>
        <Standing of={message.state} />
      </li>
    ))}
  </ul>
);

interface ReachedProps {
  /** Messages searched, and when the oldest of them was accepted, ms. */
  rows: number;
  since: number;
  /** Only messages before this one were searched. */
  before?: number;
  /** Where the search continues. */
  next?: number;
}

export const FindPage = ({ text, found, reached, ...frame }: FindProps) => (
  <Console {...frame} title="Messages">
    <PageHead label="Where you are" title="Messages" />
    <section class="card">
      <SearchForm action="/messages" formToken={frame.formToken} words={WORDS} text={text} found={found} />
      {found && found.length > 0 && <Messages of={found} />}
      {reached && <Reached formToken={frame.formToken} text={text} {...reached} />}
    </section>
  </Console>
);

const Reached = ({
  rows,
  since,
  before,
  next,
  formToken,
  text,
}: ReachedProps & { formToken: string; text: string }) => (
  <>
    <p class="hint">
      Searched {before === undefined ? "the newest" : `before message ${before}:`} {rows.toLocaleString("en")}{" "}
      {rows === 1 ? "message" : "messages"}, since <Time at={since} /> UTC
      {next === undefined && "; there are none before"}.
    </p>
    {next !== undefined && (
      <form method="post" action="/messages">
        <input type="hidden" name="formToken" value={formToken} />
        <input type="hidden" name="text" value={text} />
        <input type="hidden" name="before" value={next} />
        <button type="submit" class="button secondary">
          {WORDS.further}
        </button>
      </form>
    )}
  </>
);

interface StoryProps extends ConsoleFrame {
  message: MessageProps & { gatewayMessageId?: string; messengerMessageId?: string; isEmptied?: true };
  steps: { at: number; what: string; isBad?: true }[];
  /** What has just been done with the message. */
  done?: string;
}

const DONE: Record<string, { tone: "success" | "warning"; title: string }> = {
  again: { tone: "success", title: "It is sent again" },
  discard: { tone: "success", title: "It is discarded: its account's users can restore it for a day" },
  not: { tone: "warning", title: "Nothing was done: it cannot be read, or somebody has decided on it meanwhile" },
};

/** Decisions on a dead or held message. */
const Decide = ({ message, formToken = "" }: { message: MessageProps; formToken?: string }) => (
  <section class="card">
    <h2>What can be done</h2>
    {message.state === "held" && (
      <p>It may have arrived: ask the customer, or the merchant, before you send it again.</p>
    )}
    <div class="choices">
      <SmallForm action={`/messages/${message.id}/again`} formToken={formToken} label="Send again" style="primary" />
      <SmallForm action={`/messages/${message.id}/discard`} formToken={formToken} label="Discard" />
      <a
        class="button ghost"
        href={`/undelivered/reason?${new URLSearchParams({ state: message.state, account: message.crmUrl })}`}
      >
        All of this account
      </a>
    </div>
  </section>
);

export function StoryPage({ message, steps, done = "", ...frame }: StoryProps) {
  const said = Object.hasOwn(DONE, done) ? DONE[done] : undefined;
  const facts: [string, string | undefined][] = [
    ["Channel", message.channelName],
    ["Customer", message.customer],
    ["Id in the CRM", message.gatewayMessageId],
    ["Id in the messenger", message.messengerMessageId],
  ];
  return (
    <Console {...frame} title={`Message ${message.id}`}>
      <PageHead
        crumbs={[{ text: "Messages", href: "/messages" }]}
        label="Where you are"
        title={`Message ${message.id}`}
        lead={
          <>
            <Standing of={message.state} /> From {message.direction === "inbound" ? "a customer" : "an agent"} of{" "}
            <a href={`/accounts/${message.accountId}`}>{hostOf(message.crmUrl)}</a>
          </>
        }
      />
      {said && <Alert tone={said.tone} title={said.title} role="status" />}
      <section class="card">
        {message.words && <p>{message.words}</p>}
        {message.isEmptied && <p class="hint">What was in it is no longer kept.</p>}
        <dl class="facts">
          {facts.map(
            ([name, value]) =>
              value && (
                <div>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
      </section>
      <section class="card" data-fresh="steps">
        <h2>What became of it</h2>
        <Timeline
          moments={steps.map(({ at, what, isBad }) => ({
            ...{ tone: isBad ? "danger" : "neutral", text: what, time: <Time at={at} /> },
          }))}
        />
      </section>
      {["dead", "held"].includes(message.state) && <Decide message={message} formToken={frame.formToken} />}
    </Console>
  );
}
