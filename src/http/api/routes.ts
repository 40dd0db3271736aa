import * as z from "zod";
import { STANDINGS } from "../../domain/account.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import type { ApiToken, Scope } from "../../domain/vendor.ts";
import type { AccountRow, ChannelRow, Fleet } from "../../module/vendor/fleet.ts";
import { MAX_SPAN_MS, type Replays } from "../../module/vendor/replays.ts";
import { MAX_ACTED, type VendorUndelivered, type Wanted } from "../../module/vendor/undelivered.ts";

// All operations of the API. The schemas that parse requests also generate docs/api.json.

export interface ApiActs {
  fleet: Pick<Fleet, "accounts" | "account" | "find" | "story" | "undelivered">;
  undelivered: VendorUndelivered;
  replays: Replays;
}

/** The figures have not been read yet since the start. */
export class NotYet extends Error {}

interface Operation<P, Q, B, A> {
  method: "get" | "post";
  path: string;
  scope: Scope;
  summary: string;
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  body?: z.ZodType<B>;
  answer: z.ZodType<A>;
  /** Undefined if the resource does not exist. Throws NotYet. */
  run(acts: ApiActs, given: { params: P; query: Q; body: B; token: ApiToken }): Promise<A | undefined>;
}
export type Route = Operation<unknown, unknown, unknown, unknown>;

const route = <P = unknown, Q = unknown, B = unknown, A = unknown>(given: Operation<P, Q, B, A>) => given as Route;

const PAGE = 50;
const limit = z.coerce.number().int().min(1).max(200).default(PAGE).describe("How many, at most.");
const cursor = z.string().min(1).max(64).optional().describe("`next` of the page before.");
const number = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const text = (max = 200) => z.string().min(1).max(max);
const time = z.iso.datetime();
const iso = (ms: number) => new Date(ms).toISOString();
const maybe = (ms: number | undefined) => (ms === undefined ? undefined : iso(ms));

const sums = {
  waiting: z.int().describe("Messages on their way."),
  held: z.int().describe("Messages that wait for a person's decision."),
  undelivered: z.int(),
  dueSince: time.optional().describe("When the first message was due that nobody holds back."),
};
const standing = z.enum(STANDINGS);
const account = z.strictObject({ id: z.string(), crmUrl: z.string(), standing, channels: z.int(), ...sums });
const channel = z.strictObject({
  ...{ id: z.string(), kind: z.string(), name: z.string(), standing, trouble: z.string().optional() },
  ...sums,
});

const sumsOf = ({ waiting, held, undelivered, dueAt }: AccountRow | ChannelRow) => ({
  ...{ waiting, held, undelivered, dueSince: maybe(dueAt) },
});
const accountOf = (row: AccountRow) => {
  const { id, crmUrl, standing, channels } = row;
  return { id, crmUrl, standing, channels, ...sumsOf(row) };
};
const channelOf = (row: ChannelRow) => {
  const { id, kind, name, standing, trouble } = row;
  return { id, kind, name, standing, trouble, ...sumsOf(row) };
};
const ofAccount = z.strictObject({ id: text() });

const ACCOUNTS = [
  route({
    ...{ method: "get", path: "/accounts", scope: "accounts:read" },
    summary: "All accounts, by id; figures are read once a minute",
    query: z.strictObject({
      text: text().optional().describe("A part of the CRM's address, or the id of an account or channel."),
      ...{ standing: standing.optional(), limit, cursor },
    }),
    answer: z.strictObject({ at: time, accounts: z.array(account), next: z.string().optional() }),
    async run({ fleet }, { query }) {
      const found = await fleet.accounts({ text: query.text, standing: query.standing });
      if (!found) throw new NotYet();
      const after = query.cursor ?? "";
      const rest = found.accounts.filter(({ id }) => id > after).sort((one, other) => (one.id < other.id ? -1 : 1));
      const page = rest.slice(0, query.limit);
      const next = rest.length > page.length ? page.at(-1)?.id : undefined;
      return { at: iso(found.at), accounts: page.map(accountOf), next };
    },
  }),
  route({
    ...{ method: "get", path: "/accounts/{id}", scope: "accounts:read" },
    summary: "One account, with its trouble",
    params: ofAccount,
    answer: account.extend({ trouble: z.string().optional() }),
    async run({ fleet }, { params }) {
      const found = await fleet.account(params.id as AccountId);
      return found && { ...accountOf(found.account), trouble: found.trouble };
    },
  }),
  route({
    ...{ method: "get", path: "/accounts/{id}/channels", scope: "accounts:read" },
    summary: "Its channels, those in trouble first",
    params: ofAccount,
    answer: z.strictObject({ channels: z.array(channel) }),
    async run({ fleet }, { params }) {
      const found = await fleet.account(params.id as AccountId);
      return found && { channels: found.channels.map(channelOf) };
    },
  }),
];

const message = z.strictObject({
  ...{ id: z.int(), at: time, accountId: z.string(), crmUrl: z.string(), channelId: z.string() },
  ...{ channel: z.string(), direction: z.enum(["inbound", "outbound"]), state: z.string() },
  customer: z.string().optional().describe("With the scope messages:contents."),
  words: z.string().optional().describe("How the text begins; with the scope messages:contents."),
});
type Found = Awaited<ReturnType<Fleet["find"]>>["found"][number];

const seesContents = ({ scopes }: ApiToken): boolean => scopes.includes("messages:contents");

function messageOf(found: Found, token: ApiToken) {
  const { id, at, accountId, crmUrl, channelId, channelName, direction, state, customer, words } = found;
  const contents = seesContents(token) ? { customer, words } : {};
  return { id, at: iso(at), accountId, crmUrl, channelId, channel: channelName, direction, state, ...contents };
}

const MESSAGES = [
  route({
    ...{ method: "post", path: "/messages/search", scope: "messages:read" },
    summary:
      "Messages of all accounts by an id or an error, and with the scope messages:contents by a customer or words, the newest first",
    body: z.strictObject({
      text: text(),
      before: z.int().min(1).optional().describe("`searched.next` of the answer before: goes on there."),
    }),
    answer: z.strictObject({
      messages: z.array(message),
      searched: z
        .strictObject({ rows: z.int(), since: time, next: z.int().optional() })
        .optional()
        .describe("How many messages were searched, and since when; absent where an id was found."),
    }),
    async run({ fleet }, { body, token }) {
      const before = body.before as JobId | undefined;
      const { found, reached } = await fleet.find(body.text, { before, withContents: seesContents(token) });
      const searched = reached && { ...reached, since: iso(reached.since) };
      return { messages: found.map((each) => messageOf(each, token)), searched };
    },
  }),
  route({
    ...{ method: "get", path: "/messages/{id}", scope: "messages:read" },
    summary: "What became of a message, step by step",
    params: z.strictObject({ id: number }),
    answer: message.extend({
      gatewayMessageId: z.string().optional(),
      messengerMessageId: z.string().optional(),
      steps: z.array(z.strictObject({ at: time, what: z.string(), isBad: z.literal(true).optional() })),
    }),
    async run({ fleet }, { params, token }) {
      const found = await fleet.story(params.id as JobId);
      if (!found) return undefined;
      const { gatewayMessageId, messengerMessageId } = found;
      const steps = found.steps.map(({ at, ...step }) => ({ at: iso(at), ...step }));
      return { ...messageOf(found, token), gatewayMessageId, messengerMessageId, steps };
    },
  }),
];

const wanted = {
  state: z.enum(["dead", "held"]).default("dead").describe("held: perhaps delivered; a person decides."),
  account: text().optional().describe("An account's id."),
  channel: text().optional().describe("A channel's id."),
  code: text().optional().describe("Of the error."),
  from: time.optional().describe("Ended at this time or later."),
  to: time.optional().describe("Ended at this time or earlier."),
};
type Filter = z.infer<z.ZodObject<typeof wanted>>;

const wantedOf = ({ state, account, channel, code, from, to }: Filter, ids?: number[]): Wanted => ({
  ...{ state, accountId: account, channelId: channel, code, ids },
  ...{ from: from === undefined ? undefined : Date.parse(from), to: to === undefined ? undefined : Date.parse(to) },
});

const undelivered = z.strictObject({
  ...{ id: z.int(), accountId: z.string(), channelId: z.string(), channel: z.string() },
  direction: z.enum(["inbound", "outbound", "ack"]),
  ...{ state: z.enum(["dead", "held"]), what: z.string(), attempts: z.int(), code: z.string(), error: z.string() },
  unreadable: z.boolean().describe("It cannot be sent again."),
  ...{ createdAt: time, endedAt: time },
});

/** Requires ids or a filter beyond the state, so that nobody acts on all messages by mistake. */
const which = (state: z.ZodType<"dead" | "held">) =>
  z
    .strictObject({
      ids: z.array(z.int().min(1)).min(1).max(MAX_ACTED).optional(),
      ...{ ...wanted, state },
      after: z.int().min(1).optional().describe("`next` of the answer before: goes on there."),
      dryRun: z.boolean().default(false).describe("true: only says what would be done."),
    })
    .refine(({ ids, account, channel, code, from, to }) => [ids, account, channel, code, from, to].some(Boolean), {
      message: "name ids, an account, a channel, a code, from or to",
    });
const WHICH = {
  retry: which(wanted.state),
  discard: which(
    z
      .literal("dead", { error: "only dead messages can be discarded: of a held one a person decides" })
      .default("dead")
      .describe("Of a held one a person decides."),
  ),
};
const done = z.strictObject({
  dryRun: z.boolean(),
  done: z.array(z.int()),
  skipped: z.array(z.int()).describe("Unreadable, or decided on by somebody else meanwhile."),
  missing: z.array(z.int()).describe("Of the given ids, those that are not undelivered, or do not fit."),
  more: z
    .boolean()
    .describe(`More may fit than the ${MAX_ACTED} that one request acts on: repeat it with \`next\` as \`after\`.`),
  next: z.int().optional().describe("The last id that was looked at; with `more`."),
});

const acting = (what: "retry" | "discard", summary: string) =>
  route({
    ...{ method: "post", path: `/undelivered/${what}`, scope: "undelivered:write", summary },
    body: WHICH[what],
    answer: done,
    async run(acts, { body, token }) {
      const { ids, dryRun, after } = body;
      const result = await acts.undelivered.act(what, wantedOf(body, ids), { dryRun, token: token.name, after });
      const known = new Set([...result.done, ...result.skipped]);
      return { dryRun, ...result, missing: (ids ?? []).filter((id) => !known.has(id)) };
    },
  });

const UNDELIVERED = [
  route({
    ...{ method: "get", path: "/undelivered", scope: "undelivered:read" },
    summary: "Undelivered messages of all accounts, without what is in them, in order of acceptance",
    query: z.strictObject({ ...wanted, limit, cursor: number.optional().describe("`next` of the page before.") }),
    answer: z.strictObject({ messages: z.array(undelivered), next: z.int().optional() }),
    async run(acts, { query }) {
      const { messages, next } = await acts.undelivered.page(wantedOf(query), query.limit, query.cursor);
      const shown = messages.map(({ chat: _, createdAt, endedAt, ...letter }) => ({
        ...{ ...letter, createdAt: iso(createdAt), endedAt: iso(endedAt) },
      }));
      return { messages: shown, next };
    },
  }),
  route({
    ...{ method: "get", path: "/undelivered/reasons", scope: "undelivered:read" },
    summary: "Undelivered messages by reason, the most frequent first",
    query: z.strictObject({ limit }),
    answer: z.strictObject({
      reasons: z.array(
        z.strictObject({
          ...{ error: z.string(), code: z.string(), count: z.int(), accounts: z.int() },
          last: z.int().describe("The newest of them."),
          endedAt: time,
        }),
      ),
    }),
    run: async ({ fleet }, { query }) => ({
      reasons: (await fleet.undelivered(query.limit)).map(({ endedAt, ...reason }) => ({
        ...{ ...reason, endedAt: iso(endedAt) },
      })),
    }),
  }),
  acting("retry", "Sends messages again, in their old order, at the end of their chats"),
  acting("discard", "Takes messages off the list; for a day the account's user can restore them"),
];

const REPLAY = route({
  ...{ method: "post", path: "/accounts/{id}/replay", scope: "replay:write" },
  summary:
    "Passes an account's kept webhooks of a span through the doors again: what is known is ignored, what is missing delivered",
  params: ofAccount,
  body: z
    .strictObject({
      from: time.describe("Arrived at this time or later."),
      to: time.describe("Arrived before this time; at most 24 hours after `from`."),
      dryRun: z.boolean().default(false).describe("true: only says what is missing."),
    })
    .refine(({ from, to }) => Date.parse(from) < Date.parse(to), { message: "from should be before to" })
    .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= MAX_SPAN_MS, {
      message: "to should be at most 24 hours after from",
    }),
  answer: z.strictObject({
    dryRun: z.boolean(),
    webhooks: z.int(),
    already: z.int().describe("Events that are known."),
    missing: z.int().describe("Events that were missing: now being delivered, in a dry run not."),
    unchanging: z.int().describe("Webhooks that no longer change anything."),
    unreadable: z.int(),
    refused: z.int().describe("Webhooks of removed, stopped or unreadable channels, or while the account is off."),
  }),
  async run({ replays }, { params, body, token }) {
    const account = await replays.account(params.id as AccountId);
    if (!account) return undefined;
    const span = { from: Date.parse(body.from), to: Date.parse(body.to) };
    const report = body.dryRun ? await replays.rehearse(account, span) : await replays.run(account, span, token.name);
    return { ...report, dryRun: body.dryRun, unreadable: report.unreadable.length };
  },
});

export const ROUTES: Route[] = [...ACCOUNTS, ...MESSAGES, ...UNDELIVERED, REPLAY];
