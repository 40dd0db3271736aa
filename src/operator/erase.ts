import type { ChannelId, ChatId, CustomerId } from "gangway-messenger/ids";
import { INBOUND_PATIENCE_MS } from "../domain/delivery.ts";
import type { Act, Erased, Figures, FoundPerson, Person } from "../store/care.ts";
import type { Store } from "../store/store.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import { type Answer, type Arguments, type Command, failed, UsageError } from "./command.ts";
import { table, when } from "./table.ts";

const account = { value: "id", help: `the account, ${ACCOUNT_HELP}` };
const by = (action: string): Act => ({ actor: "operator", action });

/** Identifies a customer as `--find` lists them. */
const PERSON = {
  channel: { value: "id", help: "the channel of the customer" },
  chat: { value: "id", help: "the chat of the customer" },
  customer: { value: "id", help: "the customer, where the list names one" },
};
const personIn = (given: Arguments): Person => ({
  channelId: needed(given, "channel") as ChannelId,
  chat: needed(given, "chat") as ChatId,
  customer: given.text("customer") as CustomerId | undefined,
});

export const eraseCustomer: Command = {
  words: "erase customer",
  summary: "erase everything stored about a customer: find them with --find, then name them as listed",
  options: {
    account,
    find: { value: "text", help: "list the customers whose name, id or messages contain the text; erase nothing" },
    ...PERSON,
  },
  run: (context, given) =>
    context.withStore(async (store): Promise<Answer> => {
      const found = await accountOf(store, needed(given, "account"));
      if (!found) return noAccount(needed(given, "account"));
      const text = given.text("find");
      if (text !== undefined) return listed(await store.erasure.find(found.id, text));
      const erased = await store.erasure.customer(found.id, personIn(given), by("customer erased"));
      return erased ? receipt(store, erased) : failed("The account has no such chat; see --find.");
    }),
};

export const exportCustomer: Command = {
  words: "export",
  summary: "print everything stored about a customer as JSON, with contents: find them with erase customer --find",
  options: { account, channel: PERSON.channel, chat: PERSON.chat, customer: PERSON.customer },
  run: (context, given) =>
    context.withStore(async (store): Promise<Answer> => {
      const found = await accountOf(store, needed(given, "account"));
      if (!found) return noAccount(needed(given, "account"));
      const records = await store.erasure.export(found.id, personIn(given), by("customer exported"));
      if (!records || records === "too-large")
        return failed(
          "The account has no such chat, or several people wrote in it: name one by --customer; see erase customer --find.",
        );
      return { ok: true, json: { records }, text: JSON.stringify(records, null, 2).split("\n") };
    }),
};

export const eraseAccount: Command = {
  words: "erase account",
  summary: "erase everything stored about an account that has been disconnected",
  options: {
    account,
    connected: { help: "also when it is still connected: its messengers keep their settings for this server" },
  },
  run: (context, given) =>
    context.withStore(async (store): Promise<Answer> => {
      const found = await accountOf(store, needed(given, "account"));
      if (!found) return interrupted(store, needed(given, "account"));
      if (found.active && !given.on("connected"))
        return failed("The account is connected: disconnect it on its page first, or add --connected.");
      await store.accounts.setActivity(found.id, { active: false, frozen: found.frozen }, INBOUND_PATIENCE_MS);
      const erased = await store.erasure.account(found.id, by("account erased"));
      return erased ? receipt(store, erased) : noAccount(needed(given, "account"));
    }),
};

/** Resumes an interrupted erasure, whose first step has already removed the account. */
async function interrupted(store: Store, account: string): Promise<Answer> {
  const [erased] = await store.erasure.resume();
  if (!erased) return noAccount(account);
  const answer = await receipt(store, erased);
  return { ...answer, text: ["An erasure that was interrupted is finished now.", ...answer.text] };
}

function needed(given: Arguments, option: string): string {
  const value = given.text(option);
  const hint =
    option === "account" ? "" : ": gangway erase customer --find <name> lists whom to name, and erases nothing";
  if (value === undefined) throw new UsageError(`--${option} is missing${hint}`);
  return value;
}

function listed(found: FoundPerson[]): Answer {
  const row = ({ channelId, chat, customer, name, count, lastAt }: FoundPerson) => [
    channelId,
    chat,
    customer ?? "",
    name ?? "",
    String(count),
    when(lastAt),
  ];
  return {
    ok: true,
    json: { found },
    text:
      found.length === 0
        ? ["Nobody."]
        : table(["channel", "chat", "customer", "name", "wrote", "newest"], found.map(row)),
  };
}

/** Tells when unused space no longer holds the erased data. */
function overwritten(figures: Figures, { gone }: Erased): string {
  if (figures.engine === "PostgreSQL")
    return gone
      ? "VACUUM has removed it from tables, indexes and statistics."
      : "Its dead rows stay until VACUUM: the servers run it within five minutes, or once no older transaction may read them.";
  return figures.served === true
    ? "The server overwrites their place on the disk within five minutes; of a database above 64 MiB, when it starts next."
    : "The server overwrites their place on the disk when it starts.";
}

function remains({ engine }: Figures, backups: number): string[] {
  if (engine === "PostgreSQL")
    return [
      "Pages' free space may hold bytes of it until they are written again.",
      "PostgreSQL's log (WAL), its archive, replicas that lag, base backups and dumps from before still hold it; after a restore, erase again.",
    ];
  return [backups === 0 ? "No backup is known." : "These backups still hold it; after a restore, erase again:"];
}

async function receipt(store: Store, erased: Erased): Promise<Answer> {
  const [backups, figures] = await Promise.all([store.erasure.backups(), store.condition.figures()]);
  const { messages, files, webhooks, notes } = erased;
  return {
    ok: true,
    json: { ...erased, backups },
    text: [
      `Erased: ${messages} messages, ${files} files, ${webhooks} raw webhooks, ${notes} entries of histories and notes.`,
      overwritten(figures, erased),
      ...remains(figures, backups.length),
      ...backups.map(({ file, at }) => `  ${when(at)}  ${file ?? "(name not recorded)"}`),
    ],
  };
}
