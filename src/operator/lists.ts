import { works } from "../domain/account.ts";
import type { AuditRow } from "../store/audit.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import type { Answer, Command } from "./command.ts";
import { countIn, spanIn, timeOption } from "./options.ts";
import { table, when } from "./table.ts";

const MOST_ACTS = 100;

export const auditList: Command = {
  words: "audit list",
  summary: "lists what people did, newest first",
  options: {
    account: { value: "id", help: `only of this account, ${ACCOUNT_HELP}` },
    from: timeOption("only from this time on"),
    to: timeOption("only until this time"),
    limit: { value: "number", help: `at most so many (${MOST_ACTS})` },
  },
  async run(desk, given) {
    const name = given.text("account");
    const filter = { ...spanIn(given, desk.clock.now()), limit: countIn(given, "limit") ?? MOST_ACTS };
    return desk.withStore(async (store) => {
      const account = name === undefined ? undefined : await accountOf(store, name);
      if (name !== undefined && !account) return noAccount(name);
      return told(await store.audit.list({ ...filter, accountId: account?.id }));
    });
  },
};

function told(acts: AuditRow[]): Answer {
  const detailOf = (detail: object) =>
    Object.entries(detail)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(" ");
  const rows = acts.map((act) => [when(act.at), act.actor, act.action, act.accountId ?? "-", detailOf(act.detail)]);
  return {
    ok: true,
    json: { acts: acts.map((act) => ({ ...act, at: when(act.at) })) },
    text: acts.length === 0 ? ["Nobody did anything."] : table(["when", "who", "what", "account", ""], rows),
  };
}

export const accountsList: Command = {
  words: "accounts list",
  summary: "lists the accounts that have connected the module",
  options: {},
  async run(desk) {
    const accounts = await desk.withStore(async (store) =>
      Promise.all(
        (await store.accounts.list()).map(async (account) => ({
          id: account.id,
          crmUrl: account.crmUrl,
          state: works(account) ? "working" : account.frozen ? "frozen" : "off",
          trouble: account.trouble,
          channels: (await store.channels.list(account.id)).map(({ id, kind, name, state }) => ({
            id,
            kind,
            name,
            state,
          })),
        })),
      ),
    );
    const rows = accounts.map((account) => [
      account.id,
      account.crmUrl,
      account.state,
      account.channels.map(({ id, kind }) => `${kind} ${id}`).join(", "),
      account.trouble ?? "",
    ]);
    return {
      ok: true,
      json: { accounts },
      text:
        accounts.length === 0
          ? ["No account has connected yet."]
          : table(["id", "crm", "state", "channels", "trouble"], rows),
    };
  },
};
