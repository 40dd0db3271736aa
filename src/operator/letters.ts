import { pause } from "../domain/clock.ts";
import type { DeadFilter, DeadLetter, DeadLetters } from "../store/dead.ts";
import type { Store } from "../store/store.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import { type Answer, type Command, type Desk, failed, type Given, UsageError } from "./command.ts";
import { REST_MS } from "./keys.ts";
import { countIn, idOf, idsIn, spanIn, timeOption } from "./options.ts";
import { plain, table, when } from "./table.ts";

/** How long what is sent again is tried at least, ms: many messages of one chat leave a second apart. */
export const PATIENCE_MS = 3_600_000;
/** Messages of one transaction. */
const AT_ONCE = 100;
const [MOST_LISTED, MOST] = [50, 1_000_000];

const FILTERS = {
  account: { value: "id", help: `only of this account, ${ACCOUNT_HELP}` },
  channel: { value: "id", help: "only of this channel" },
  id: { value: "numbers", many: true, help: "only these messages, parted by commas" },
  from: timeOption("only what ended at this time or later"),
  to: timeOption("only what ended until this time"),
  held: { help: "held messages in place of dead ones: perhaps delivered, and a person decides" },
};

const filterIn = (given: Given, now: number, most: number): DeadFilter => ({
  state: given.on("held") ? "held" : "dead",
  accountId: given.text("account"),
  channelId: given.text("channel"),
  ids: idsIn(given),
  ...spanIn(given, now),
  limit: countIn(given, "limit") ?? most,
});

/** Acts under the filter, if there are such an account and channel: a wrong id must not pass for one without messages. */
async function under(store: Store, filter: DeadFilter, act: (filter: DeadFilter) => Promise<Answer>): Promise<Answer> {
  const { accountId: name, channelId } = filter;
  const account = name === undefined ? undefined : await accountOf(store, name);
  if (name !== undefined && !account) return noAccount(name);
  const owner = channelId === undefined ? undefined : await store.dead.accountOf(channelId);
  if (channelId !== undefined && owner === undefined)
    return failed(`There is no channel ${channelId}: see gangway accounts list.`);
  if (owner !== undefined && account && account.id !== owner)
    return failed(`The channel ${channelId} is of another account.`);
  return act({ ...filter, accountId: account?.id });
}

const readable = <T extends DeadLetter>({ createdAt, endedAt, ...letter }: T) => ({
  ...letter,
  createdAt: when(createdAt),
  endedAt: when(endedAt),
});

export const deadList: Command = {
  words: "dead list",
  summary: "lists messages that were not delivered, without their words",
  options: { ...FILTERS, limit: { value: "number", help: `at most so many (${MOST_LISTED})` } },
  async run(desk, given) {
    const filter = filterIn(given, desk.clock.now(), MOST_LISTED);
    return desk.withStore((store) => under(store, filter, (known) => listed(store, known, given)));
  },
};

async function listed({ dead }: Store, filter: DeadFilter, given: Given): Promise<Answer> {
  // One more than is shown tells whether there are more.
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
    `There are no ${filter.state} messages${letters.length === 0 && hasFilter(given) ? " like that" : ""}.`,
  ];
  const shown = [...table(names, rows), ...(more ? [`There are more than these ${filter.limit}: see --limit.`] : [])];
  return { ok: true, json: { messages: letters.map(readable), more }, text: letters.length === 0 ? none : shown };
}

export const deadShow: Command = {
  words: "dead show",
  summary: "shows everything that is known of one message, without its words",
  takes: { name: "id", needed: true },
  options: { payload: { help: "with the words of the message" } },
  async run(desk, given): Promise<Answer> {
    const id = idOf(given.word ?? "");
    const found = await desk.withStore((store) => store.dead.show(id));
    if (!found) return failed(`There is no dead or held message ${id}.`);
    const { payload, ...letter } = found;
    const shown = { ...readable(letter), deadlineAt: when(letter.deadlineAt), ...(given.on("payload") && { payload }) };
    const text = Object.entries(shown).map(([name, value]) => {
      const words = typeof value === "string" ? value : JSON.stringify(value, null, name === "payload" ? 2 : 0);
      return `${name}: ${name === "payload" ? (words ?? "cannot be read") : plain(words ?? "-")}`;
    });
    return { ok: true, json: { message: shown }, text };
  },
};

const hasFilter = (given: Given) =>
  ["account", "channel", "from", "to"].some((name) => given.text(name) !== undefined) ||
  given.texts("id") !== undefined;

interface Deed {
  act(dead: DeadLetters, ids: number[]): Promise<number>;
  /** What has become of the messages then. */
  done: string;
  /** It passes over what cannot be read. */
  reads: boolean;
}

/** Acts on all that fit, oldest first, a few at a time; a command without a filter needs `--all`. */
async function onAll(desk: Desk, given: Given, deed: Deed): Promise<Answer> {
  const isVague = given.on("held") || given.text("limit") !== undefined;
  if (!hasFilter(given) && !given.on("all"))
    throw new UsageError(
      `say which: --id, --account, --channel, --from, --to, or --all${isVague ? "; --held and --limit alone do not" : ""}`,
    );
  const asked = filterIn(given, desk.clock.now(), MOST);
  return desk.withStore((store) => under(store, asked, (filter) => onThese(desk, store, filter, deed)));
}

async function onThese({ clock }: Desk, { dead }: Store, filter: DeadFilter, deed: Deed): Promise<Answer> {
  const letters = await dead.list(filter);
  const missing = filter.ids?.filter((asked) => !letters.some(({ id }) => id === asked)) ?? [];
  if (missing.length > 0 && filter.ids?.length === missing.length)
    return failed(`There is no ${filter.state} message ${missing.join(", ")} that fits.`);
  const isPassed = (letter: DeadLetter) => deed.reads && letter.unreadable;
  const unreadable = letters.filter(isPassed).map(({ id }) => id);
  const ids = letters.filter((letter) => !isPassed(letter)).map(({ id }) => id);
  let done = 0;
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    if (at > 0) await pause(clock, REST_MS);
    done += await deed.act(dead, ids.slice(at, at + AT_ONCE));
  }
  const text = [
    `${done} ${done === 1 ? "message" : "messages"} ${deed.done}.`,
    ...(missing.length > 0 ? [`Not ${filter.state}: ${missing.join(", ")}.`] : []),
    ...(unreadable.length > 0 ? [passedOver(unreadable, filter)] : []),
  ];
  const isAsked = filter.ids !== undefined && unreadable.length > 0;
  return { ok: missing.length === 0 && !isAsked, json: { done, missing, unreadable }, text };
}

const passedOver = (ids: number[], { state }: DeadFilter) =>
  `Cannot be read, so not sent: ${ids.join(", ")}. To be rid of them: gangway dead drop${state === "held" ? " --held" : ""} --id ${ids.join(",")}`;

const ALL = {
  all: { help: "all of them" },
  limit: { value: "number", help: "at most so many, the oldest first" },
};

export const deadReplay: Command = {
  words: "dead replay",
  summary: "sends messages again, under the same key and in their old order, at the end of their chats",
  options: { ...FILTERS, ...ALL },
  run: (desk, given) => {
    const patienceMs = Math.max(PATIENCE_MS, desk.config().limits.outboundPatienceMs);
    const act: Deed["act"] = (dead, ids) => dead.replay(ids, patienceMs);
    return onAll(desk, given, { act, done: "will be sent again", reads: true });
  },
};

export const deadDrop: Command = {
  words: "dead drop",
  summary: "deletes messages for good; they stay counted as refused",
  options: { ...FILTERS, ...ALL },
  run: (desk, given) => onAll(desk, given, { act: (dead, ids) => dead.drop(ids), done: "dropped", reads: false }),
};
