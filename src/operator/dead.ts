import { pause } from "gangway-messenger/clock";
import type { JobId } from "../domain/ids.ts";
import { accountsIn, BATCH, MIN_PATIENCE_MS, unreadableOf, unsureIn } from "../module/vendor/bulk.ts";
import type { DeadFilter, DeadLetter, DeadLetters, DeadRef } from "../store/messages.ts";
import type { Store } from "../store/store.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import { type Answer, type Arguments, type Command, type CommandContext, failed, UsageError } from "./command.ts";
import { PAUSE_MS } from "./keys.ts";
import { countIn, idOf, idsIn, spanIn, timeOption } from "./options.ts";
import { plain, table, when } from "./table.ts";

export { MIN_PATIENCE_MS };

const [DEFAULT_LISTED, MAX_MESSAGES] = [50, 1_000_000];

const FILTERS = {
  account: { value: "id", help: `only this account, ${ACCOUNT_HELP}` },
  channel: { value: "id", help: "only this channel" },
  id: { value: "numbers", many: true, help: "only these messages, separated by commas" },
  from: timeOption("only messages that ended at this time or later"),
  to: timeOption("only messages that ended at this time or earlier"),
  code: { value: "code", help: "only messages with this code, as `dead list` shows it" },
  held: { help: "held messages instead of dead ones (perhaps delivered; a person decides)" },
};

const filterIn = (given: Arguments, now: number, limit: number): DeadFilter => ({
  state: given.on("held") ? "held" : "dead",
  accountId: given.text("account"),
  channelId: given.text("channel"),
  ids: idsIn(given),
  code: given.text("code"),
  ...spanIn(given, now),
  limit: countIn(given, "limit") ?? limit,
});

/** Resolves the filter's account and channel: an unknown id must not look like one without messages. */
async function withFilter(
  store: Store,
  filter: DeadFilter,
  act: (filter: DeadFilter) => Promise<Answer>,
): Promise<Answer> {
  const { accountId: name, channelId } = filter;
  const account = name === undefined ? undefined : await accountOf(store, name);
  if (name !== undefined && !account) return noAccount(name);
  const owner = channelId === undefined ? undefined : await store.dead.accountOf(channelId);
  if (channelId !== undefined && owner === undefined)
    return failed(`There is no channel ${channelId}; see gangway accounts list.`);
  if (owner !== undefined && account && account.id !== owner)
    return failed(`The channel ${channelId} belongs to another account.`);
  return act({ ...filter, accountId: account?.id });
}

const readable = <T extends DeadLetter>({ createdAt, endedAt, ...letter }: T) => ({
  ...letter,
  createdAt: when(createdAt),
  endedAt: when(endedAt),
});

export const deadList: Command = {
  words: "dead list",
  summary: "list undelivered messages, without their text",
  options: { ...FILTERS, limit: { value: "number", help: `at most this many (default ${DEFAULT_LISTED})` } },
  async run(context, given) {
    const filter = filterIn(given, context.clock.now(), DEFAULT_LISTED);
    return context.withStore((store) => withFilter(store, filter, (known) => listed(store, known, given)));
  },
};

async function listed({ dead }: Store, filter: DeadFilter, given: Arguments): Promise<Answer> {
  // Fetch one extra row to see whether there are more.
  const found = await dead.list({ ...filter, limit: filter.limit + 1 });
  const letters = found.slice(0, filter.limit);
  const more = found.length > letters.length;
  const rows = letters.map((letter) => [
    String(letter.id),
    when(letter.endedAt),
    letter.direction,
    letter.what,
    letter.channelId,
    letter.channel,
    letter.code,
    letter.error,
  ]);
  const names = ["id", "ended", "direction", "what", "channel", "", "code", "reason"];
  const none = [
    `There are no ${filter.state} messages${letters.length === 0 && hasFilter(given) ? " that match" : ""}.`,
  ];
  const shown = [...table(names, rows), ...(more ? [`There are more than these ${filter.limit}; see --limit.`] : [])];
  return { ok: true, json: { messages: letters.map(readable), more }, text: letters.length === 0 ? none : shown };
}

export const deadShow: Command = {
  words: "dead show",
  summary: "show everything known about one message, without its text",
  takes: { name: "id", needed: true },
  options: { payload: { help: "include the text of the message" } },
  async run(context, given): Promise<Answer> {
    const id = idOf(given.word ?? "");
    const found = await context.withStore((store) => store.dead.show(id));
    if (!found) return failed(`There is no dead or held message ${id}.`);
    const { payload, ...letter } = found;
    const shown = { ...readable(letter), deadlineAt: when(letter.deadlineAt), ...(given.on("payload") && { payload }) };
    const text = Object.entries(shown).map(([name, value]) => {
      const shown = typeof value === "string" ? value : JSON.stringify(value, null, name === "payload" ? 2 : 0);
      return `${name}: ${name === "payload" ? (shown ?? "cannot be read") : plain(shown ?? "-")}`;
    });
    return { ok: true, json: { message: shown }, text };
  },
};

const hasFilter = (given: Arguments) =>
  ["account", "channel", "code", "from", "to"].some((name) => given.text(name) !== undefined) ||
  given.texts("id") !== undefined;

interface BulkAction {
  run(dead: DeadLetters, refs: DeadRef[]): Promise<number>;
  /** Participle for the output, such as "dropped"; `would` follows "would be". */
  done: string;
  would: string;
  skipsUnreadable: boolean;
}

/** Applies the action to all matching messages in batches, oldest first. Without a filter it needs `--all`. */
async function onAll(context: CommandContext, given: Arguments, action: BulkAction): Promise<Answer> {
  const isVague = given.on("held") || given.text("limit") !== undefined;
  if (!hasFilter(given) && !given.on("all"))
    throw new UsageError(
      `choose messages with --id, --account, --channel, --code, --from, --to, or --all${isVague ? "; --held and --limit are not enough" : ""}`,
    );
  const requested = filterIn(given, context.clock.now(), MAX_MESSAGES);
  const dryRun = given.on("dry-run");
  return context.withStore((store) =>
    withFilter(store, requested, (filter) => onMatching(context, store, { filter, dryRun }, action)),
  );
}

async function onMatching(
  { clock }: CommandContext,
  { dead }: Store,
  { filter, dryRun }: { filter: DeadFilter; dryRun: boolean },
  action: BulkAction,
): Promise<Answer> {
  const refs = await dead.refs(filter);
  const present = new Set(refs.map(({ id }) => id));
  const missing = filter.ids?.filter((wanted) => !present.has(wanted as JobId)) ?? [];
  if (missing.length > 0 && filter.ids?.length === missing.length)
    return failed(`There is no ${filter.state} message ${missing.join(", ")} that matches.`);
  const unreadable = action.skipsUnreadable ? await unreadableOf(dead, filter.state, refs) : [];
  const skips = new Set(unreadable);
  const taken = refs.filter(({ id }) => !skips.has(id));
  const accounts = accountsIn(taken);
  let done = 0;
  for (let at = 0; at < taken.length && !dryRun; at += BATCH) {
    if (at > 0) await pause(clock, PAUSE_MS);
    done += await action.run(dead, taken.slice(at, at + BATCH));
  }
  const count = dryRun ? taken.length : done;
  const amount = `${count} ${count === 1 ? "message" : "messages"}`;
  const of = `${accounts} ${accounts === 1 ? "account" : "accounts"}`;
  const unsure = action.skipsUnreadable ? unsureIn(taken) : 0;
  const text = [
    dryRun ? `${amount} of ${of} would be ${action.would}.` : `${amount} ${action.done}.`,
    ...(dryRun && unsure > 0 ? [`${unsure} of them may have been delivered: their customers may get them twice.`] : []),
    ...(missing.length > 0 ? [`Not ${filter.state}: ${missing.join(", ")}.`] : []),
    ...(unreadable.length > 0 ? [skipped(unreadable, filter)] : []),
  ];
  const skippedById = filter.ids !== undefined && unreadable.length > 0;
  const figures = dryRun ? { would: count, accounts, unsure, dryRun } : { done };
  return { ok: missing.length === 0 && !skippedById, json: { ...figures, missing, unreadable }, text };
}

const skipped = (ids: number[], { state }: DeadFilter) =>
  `Unreadable, so not sent: ${ids.join(", ")}. To delete them: gangway dead drop${state === "held" ? " --held" : ""} --id ${ids.join(",")}`;

const ALL = {
  all: { help: "all messages" },
  "dry-run": { help: "only report how many messages of how many accounts" },
  limit: { value: "number", help: "at most this many, oldest first" },
};

export const deadReplay: Command = {
  words: "dead replay",
  summary: "send messages again with the same keys and in their old order, at the end of their chats",
  options: { ...FILTERS, ...ALL },
  run: (context, given) => {
    const patienceMs = Math.max(MIN_PATIENCE_MS, context.config().limits.outboundPatienceMs);
    const run: BulkAction["run"] = (dead, refs) => dead.replay(refs, patienceMs);
    return onAll(context, given, { run, done: "will be sent again", would: "sent again", skipsUnreadable: true });
  },
};

export const deadDrop: Command = {
  words: "dead drop",
  summary: "delete messages for good; the ledger still counts them as refused",
  options: { ...FILTERS, ...ALL },
  run: (context, given) =>
    onAll(context, given, {
      run: (dead, refs) => dead.drop(refs),
      ...{ done: "dropped", would: "dropped", skipsUnreadable: false },
    }),
};
