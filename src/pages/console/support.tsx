import { Alert } from "gangway-ui/alert";
import { PageHead } from "gangway-ui/page-head";
import { Console, type ConsoleFrame, hostOf } from "./frame.tsx";

interface FormProps {
  account: { id: string };
  formToken?: string;
  why?: string;
}

/** Form that requests a link into the account's pages. */
export const SupportForm = ({ account, formToken, why }: FormProps) => (
  <section class="card form">
    <h2>Look into the account's pages</h2>
    <p class="hint" id="why-hint">
      For ten minutes, to look and not to change. The account's users see the visit and when it was, not the reason.
    </p>
    <form method="post" action={`/accounts/${account.id}/open`}>
      <input type="hidden" name="formToken" value={formToken} />
      <label for="why">Why: a ticket, or a sentence</label>
      <div class="field-row">
        <input id="why" name="why" required maxlength={200} value={why} aria-describedby="why-hint" />
        <button type="submit" class="button">
          Make a link
        </button>
      </div>
    </form>
  </section>
);

interface LinkProps extends ConsoleFrame {
  account: { id: string; crmUrl: string };
  why: string;
  /** Absent if the reason was refused. */
  link?: string;
}

export function SupportLinkPage({ account, why, link, ...frame }: LinkProps) {
  const host = hostOf(account.crmUrl);
  return (
    <Console {...frame} title="Support visit">
      <PageHead
        crumbs={[
          { text: "Accounts", href: "/accounts" },
          { text: host, href: `/accounts/${account.id}` },
        ]}
        label="Where you are"
        title="Support visit"
        lead={host}
      />
      {link === undefined && (
        <Alert tone="danger" title="No link was made" role="alert">
          Give a reason of at most 200 characters.
        </Alert>
      )}
      {link === undefined ? (
        <SupportForm account={account} formToken={frame.formToken} why={why} />
      ) : (
        <section class="card form">
          <p>
            <a class="button primary" href={link} target="_blank" rel="noopener noreferrer">
              Open the account's pages
            </a>
          </p>
          <p class="hint">
            The link opens once and ends in ten minutes. It needs no token of the console: give it to nobody but the
            person who is to look.
          </p>
          <p>
            <code>{link}</code>
          </p>
        </section>
      )}
    </Console>
  );
}
