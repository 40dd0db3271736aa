import { createLinkForSupport, MAX_WHY } from "../module/vendor/support.ts";
import { accountOf, noAccount } from "./account.ts";
import { type Command, UsageError } from "./command.ts";

export const accountsOpen: Command = {
  words: "accounts open",
  summary: "print a link that opens an account's pages once, for ten minutes, to look and not to change",
  takes: { name: "account", needed: true },
  options: { why: { value: "text", help: "a ticket, or a sentence; it stands in the audit" } },
  async run(context, given) {
    const why = given.text("why");
    if (why === undefined) throw new UsageError("--why is missing");
    const { publicUrl } = context.config();
    return context.withStore(async (store) => {
      const account = await accountOf(store, given.word ?? "");
      if (!account) return noAccount(given.word ?? "");
      const link = await createLinkForSupport({ store, publicUrl })(account.id, why);
      if (link === undefined) throw new UsageError(`--why should have at most ${MAX_WHY} characters`);
      return { ok: true, json: { account: account.id, link }, text: [link] };
    });
  },
};
