import { Alert } from "gangway-ui/alert";
import { PageHead } from "gangway-ui/page-head";
import { Console, type ConsoleFrame, hostOf, Time } from "./frame.tsx";

interface SpanProps {
  /** As entered in the form: times in UTC. */
  from?: string;
  to?: string;
}

/** Asks for a time span; submitting it changes nothing yet. */
export const ReplayForm = ({ account, from = "", to = "" }: { account: { id: string } } & SpanProps) => (
  <section class="card form">
    <h2>Search kept requests for missing messages</h2>
    <p class="hint" id="span-hint">
      Runs the webhooks that arrived in this time again, at most 24 hours of them: what is known is ignored. First it
      only counts.
    </p>
    <form action={`/accounts/${account.id}/replay`}>
      <label for="from">Arrived from (UTC)</label>
      <input id="from" name="from" type="datetime-local" value={from} required aria-describedby="span-hint" />
      <label for="to">Arrived before (UTC); empty: now</label>
      <input id="to" name="to" type="datetime-local" value={to} />
      <button type="submit" class="button secondary">
        Count what is missing
      </button>
    </form>
  </section>
);

interface ReportProps {
  webhooks: number;
  already: number;
  unchanging: number;
  missing: number;
  unreadable: unknown[];
  refused: number;
}

interface ReplayProps extends ConsoleFrame {
  account: { id: string; crmUrl: string };
  asked: SpanProps;
  /** Why the span cannot be used. */
  problem?: string;
  /** Report on this span; times in ms. */
  found?: { from: number; to: number; report: ReportProps; isDone: boolean };
}

export function ReplayPage({ account, asked, problem, found, ...frame }: ReplayProps) {
  const host = hostOf(account.crmUrl);
  return (
    <Console {...frame} title="Missing messages">
      <PageHead
        crumbs={[
          { text: "Accounts", href: "/accounts" },
          { text: host, href: `/accounts/${account.id}` },
        ]}
        label="Where you are"
        title="Missing messages"
        lead={host}
      />
      {problem && (
        <Alert tone="danger" title="Nothing was searched" role="alert">
          {problem}
        </Alert>
      )}
      {found && <Report account={account} formToken={frame.formToken} {...found} />}
      <ReplayForm account={account} {...asked} />
    </Console>
  );
}

const count = (number: number, one: string, many: string) =>
  number === 1 ? `one ${one}` : `${number.toLocaleString("en")} ${many}`;

function Report({
  account,
  from,
  to,
  report,
  isDone,
  formToken,
}: NonNullable<ReplayProps["found"]> & Pick<ReplayProps, "account" | "formToken">) {
  const { webhooks, already, missing, unreadable, unchanging, refused } = report;
  const title = isDone
    ? `${count(missing, "event is", "events are")} being delivered`
    : `${count(missing, "event is", "events are")} missing`;
  const figures: [string, number][] = [
    ["Kept webhooks", webhooks],
    ["Known events", already],
    ["Missing events", missing],
    ["Unreadable webhooks", unreadable.length],
    ["Webhooks that no longer change anything", unchanging],
    ["Refused: channel removed, stopped or unreadable, or account off", refused],
  ];
  return (
    <section class="card form" data-report>
      <div role="status">
        <h2>{title}</h2>
      </div>
      <p class="hint">
        Arrived from <Time at={from} /> to <Time at={to} /> UTC.
        {!isDone && " Nothing was changed."}
      </p>
      <dl class="facts">
        {figures.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value.toLocaleString("en")}</dd>
          </div>
        ))}
      </dl>
      {!isDone && missing > 0 && (
        <form method="post" action={`/accounts/${account.id}/replay`}>
          {Object.entries({ formToken, from: `${from}`, to: `${to}` }).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button type="submit" class="button primary">
            Deliver {count(missing, "missing event", "missing events")}
          </button>
        </form>
      )}
    </section>
  );
}
