import { Empty } from "gangway-ui/empty";
import { PageHead } from "gangway-ui/page-head";
import { addressOf } from "./bulk.tsx";
import { Console, type ConsoleFrame, Head, hostOf, Time } from "./frame.tsx";

interface ReasonProps {
  error: string;
  code: string;
  count: number;
  accounts: number;
  last: number;
  endedAt: number;
}
interface UndeliveredProps extends ConsoleFrame {
  reasons: ReasonProps[];
  held: ReasonProps[];
}

export const UndeliveredPage = ({ reasons, held, ...frame }: UndeliveredProps) => (
  <Console {...frame} title="Undelivered">
    <PageHead
      label="Where you are"
      title="Undelivered"
      lead="What ended without having arrived, by reason, over all accounts. Merchants see their own on their pages."
    />
    <section class="card">
      {reasons.length === 0 && <Empty icon="inbox" title="Nothing is listed as undelivered" />}
      <Reasons state="dead" reasons={reasons} />
    </section>
    {held.length > 0 && (
      <section class="card">
        <h2>Held: perhaps delivered, until a person decides</h2>
        <Reasons state="held" reasons={held} />
      </section>
    )}
  </Console>
);

export interface ActProps {
  at: number;
  actor: string;
  action: string;
  accountId?: string;
  crmUrl?: string;
  detail: object;
}
const Reasons = ({ state, reasons }: { state: "dead" | "held"; reasons: ReasonProps[] }) => (
  <ul class="rows" data-fresh={state === "dead" ? "reasons" : state}>
    {reasons.map(({ error, code, count, accounts, last, endedAt }) => (
      <li>
        <span>
          <strong>{count} ×</strong>{" "}
          <a href={addressOf("/undelivered/reason", { state, code, error })}>{error || code}</a>
          <span class="hint detail">
            {code} · {accounts === 1 ? "one account" : `${accounts} accounts`} ·{" "}
            <a href={`/messages/${last}`}>
              the last on <Time at={endedAt} />
            </a>
          </span>
        </span>
      </li>
    ))}
  </ul>
);

interface AuditProps extends ConsoleFrame {
  acts: ActProps[];
}

export const AuditPage = ({ acts, ...frame }: AuditProps) => (
  <Console {...frame} title="Audit">
    <PageHead
      label="Where you are"
      title="Audit"
      lead="Who changed what: merchants, the CRM, operators. The newest first."
      actions={["csv", "json"].map((type) => (
        <a class="button secondary" href={`/audit.${type}`}>
          {type.toUpperCase()}
        </a>
      ))}
    />
    <section class="card" data-fresh="acts">
      {acts.length === 0 && <Empty icon="activity" title="Nothing has happened yet" />}
      {acts.length > 0 && <Acts acts={acts} withAccounts />}
    </section>
  </Console>
);

/** `withAccounts` adds a column, for entries of several accounts. */
export const Acts = ({ acts, withAccounts = false }: { acts: ActProps[]; withAccounts?: boolean }) => (
  <table>
    <Head names={["When", "Who", "What", ...(withAccounts ? ["Account"] : []), "Details"]} />
    <tbody>
      {acts.map(({ at, actor, action, accountId, crmUrl, detail }) => (
        <tr>
          <td>
            <Time at={at} />
          </td>
          <td>{actor}</td>
          <td>{action}</td>
          {withAccounts && <td>{accountId && <a href={`/accounts/${accountId}`}>{hostOf(crmUrl ?? accountId)}</a>}</td>}
          <td>
            {Object.entries(detail)
              .map(([name, value]) => `${name}: ${String(value)}`)
              .join(", ")}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
