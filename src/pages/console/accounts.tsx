import { Empty } from "gangway-ui/empty";
import { PageHead } from "gangway-ui/page-head";
import { Segments } from "gangway-ui/segments";
import { STANDINGS } from "../../domain/account.ts";
import { Console, type ConsoleFrame, Head, hostOf, StandingNow, SUMS, SumCells, type Sums, Time } from "./frame.tsx";

interface AccountProps extends Sums {
  id: string;
  crmUrl: string;
  standing: string;
  channels: number;
}

interface AccountsProps extends ConsoleFrame {
  /** When the figures were read, ms. */
  at: number;
  accounts: AccountProps[];
  /** Number of matching accounts, of which one page is shown. */
  count: number;
  page: number;
  pages: number;
  text: string;
  standing?: string;
}

type Filter = Record<string, string | undefined>;
const linkTo = (path: string, filter: Filter) => {
  const given = Object.entries(filter).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
};

export function AccountsPage({ at, accounts, count, page, pages, text, standing, ...frame }: AccountsProps) {
  const filter = { text, standing };
  return (
    <Console {...frame} title="Accounts">
      <PageHead
        label="Where you are"
        title="Accounts"
        lead={
          <>
            Those in trouble first. Figures of{" "}
            <span data-fresh="at">
              <Time at={at} />
            </span>{" "}
            UTC, read once a minute.
          </>
        }
        actions={["csv", "json"].map((type) => (
          <a class="button secondary" href={linkTo(`/accounts.${type}`, filter)}>
            {type.toUpperCase()}
          </a>
        ))}
      />
      <section class="card">
        <form action="/accounts">
          <label for="text">CRM address, or id of an account or channel</label>
          <div class="field-row">
            <input id="text" name="text" type="search" value={text} maxlength={200} />
            <button type="submit" class="button primary">
              Search
            </button>
          </div>
        </form>
        <Segments
          label="State"
          segments={[undefined, ...STANDINGS.filter((each) => each !== "removed")].map((each) => ({
            text: each ?? "all",
            href: linkTo("/accounts", { text, standing: each }),
            isCurrent: each === standing,
          }))}
        />
        {accounts.length === 0 && <Empty icon="list" title="No account is like that" />}
        {accounts.length > 0 && <Accounts accounts={accounts} at={at} />}
        {pages > 1 && (
          <nav aria-label="Pages of the list" class="buttons">
            {page > 1 && <a href={linkTo("/accounts", { ...filter, page: `${page - 1}` })}>Previous</a>}
            <span>
              Page {page} of {pages}, {count} accounts
            </span>
            {page < pages && <a href={linkTo("/accounts", { ...filter, page: `${page + 1}` })}>Next</a>}
          </nav>
        )}
      </section>
    </Console>
  );
}

const Accounts = ({ accounts, at }: Pick<AccountsProps, "accounts" | "at">) => (
  <table data-fresh="accounts">
    <Head names={["Account", "State", "Channels", ...SUMS]} />
    <tbody>
      {accounts.map((account) => (
        <tr>
          <th scope="row">
            <a href={`/accounts/${account.id}`}>{hostOf(account.crmUrl)}</a>
          </th>
          <td>
            <StandingNow of={account} now={at} />
          </td>
          <td data-head="Channels">{account.channels}</td>
          <SumCells of={account} now={at} />
        </tr>
      ))}
    </tbody>
  </table>
);
