import type { AuditRow } from "../store/care.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import type { Answer, Command } from "./command.ts";
import { countIn, spanIn, timeOption } from "./options.ts";
import { table, when } from "./table.ts";

const DEFAULT_LISTED = 100;

export const auditList: Command = {
  words: "audit list",
  summary: "list the actions of users and operators, newest first",
  options: {
    account: { value: "id", help: `only this account, ${ACCOUNT_HELP}` },
    from: timeOption("only actions at this time or later"),
    to: timeOption("only actions at this time or earlier"),
    limit: { value: "number", help: `at most this many (default ${DEFAULT_LISTED})` },
  },
  async run(context, given) {
    const name = given.text("account");
    const filter = { ...spanIn(given, context.clock.now()), limit: countIn(given, "limit") ?? DEFAULT_LISTED };
    return context.withStore(async (store) => {
      const account = name === undefined ? undefined : await accountOf(store, name);
      if (name !== undefined && !account) return noAccount(name);
      return listed(await store.audit.list({ ...filter, accountId: account?.id }));
    });
  },
};

function listed(acts: AuditRow[]): Answer {
  const detailOf = (detail: object) =>
    Object.entries(detail)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(" ");
  const rows = acts.map((act) => [when(act.at), act.actor, act.action, act.accountId ?? "-", detailOf(act.detail)]);
  return {
    ok: true,
    json: { acts: acts.map((act) => ({ ...act, at: when(act.at) })) },
    text: acts.length === 0 ? ["There are no actions."] : table(["when", "who", "what", "account", ""], rows),
  };
}
