import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";
import type { Entry } from "../crm/records.ts";
import type { TableName } from "../crm/tables.ts";
import type { Bot, Message, SandboxFile, World } from "../world.ts";
import { anObject, type Part, withId, withKey } from "./line.ts";

/** What an archive leaves out: the log of calls to modules and what a write has changed so far belong to one run. */
export const LEFT_OUT = ["callbacks", "journal"] as const;

/** The first line of a whole account. Ids go on after `lastId`. */
export const ACCOUNT = "account";
const ACCOUNT_SHAPE = z.object({
  lastId: z.number().int().positive().optional(),
  versions: z.array(z.string()).optional(),
  gatewayOn: z.boolean().optional(),
  chatsOn: z.boolean().optional(),
  unpaid: z.boolean().optional(),
  corporateOn: z.boolean().optional(),
  settings: z.object({ language: z.string(), timeZone: z.string(), publicUrl: z.string().optional() }).optional(),
});
const account: Part = {
  lines: (world) => {
    const { versions, gatewayOn, chatsOn, unpaid, corporateOn, settings } = world;
    const record = { lastId: world.lastId(), versions, gatewayOn, chatsOn, unpaid, corporateOn, settings };
    return [{ table: ACCOUNT, record }];
  },
  fault({ record }) {
    const { error } = ACCOUNT_SHAPE.safeParse(record);
    return error && shapeFaults(error);
  },
  clear: () => {},
  put(world, { record }) {
    const { lastId = 0, ...own } = ACCOUNT_SHAPE.parse(record);
    Object.assign(world, own);
    world.continueAfter(Math.max(world.lastId(), lastId));
  },
};

const rows = (table: TableName): Part => ({
  lines: ({ tables }) => [...tables[table].rows.values()].map((record) => ({ table, record })),
  fault: withId,
  clear: ({ tables }) => tables[table].clear(),
  put: ({ tables }, { record }) => tables[table].put(record as Entry),
});

/** How a value stands in a line. */
interface Codec<T> {
  saved(value: T): unknown;
  read(record: never): T;
}
const PLAIN: Codec<unknown> = { saved: (value) => value, read: (record) => record };
const BOT: Codec<Bot> = {
  saved: (bot) => ({ ...bot, commands: [...bot.commands] }),
  read: (record: Bot & { commands: [] }) => ({ ...record, commands: new Map(record.commands) }),
};
const FILE: Codec<SandboxFile> = {
  saved: (file) => ({ ...file, bytes: Buffer.from(file.bytes).toString("base64") }),
  read: (record: SandboxFile & { bytes: string }) => ({ ...record, bytes: Buffer.from(record.bytes, "base64") }),
};

const byId = <T>(table: string, mapOf: (world: World) => Map<number, T>, codec = PLAIN as Codec<T>): Part => ({
  lines: (world) => [...mapOf(world).values()].map((value) => ({ table, record: codec.saved(value) })),
  fault: withId,
  clear: (world) => mapOf(world).clear(),
  put: (world, { record }) => mapOf(world).set((record as { id: number }).id, codec.read(record as never)),
});
const byKey = <T>(table: string, mapOf: (world: World) => Map<string, T>, codec = PLAIN as Codec<T>): Part => ({
  lines: (world) => [...mapOf(world)].map(([key, value]) => ({ table, key, record: codec.saved(value) })),
  fault: withKey,
  clear: (world) => mapOf(world).clear(),
  put: (world, { key = "", record }) => mapOf(world).set(key, codec.read(record as never)),
});
const list = <T>(table: string, listOf: (world: World) => T[]): Part => ({
  lines: (world) => listOf(world).map((record) => ({ table, record })),
  fault: anObject,
  clear: (world) => listOf(world).splice(0),
  put: (world, { record }) => listOf(world).push(record as T),
});

/** A new account has every entry that an older one has: entries of dictionaries stay. */
const dictionary = (path: string): Part => ({
  ...byKey(`reference/${path}`, ({ dictionaries }) => dictionaries.get(path) ?? new Map<string, Entry>()),
  clear: () => {},
});
const history = (name: string): Part => ({
  ...list(`history/${name}`, ({ histories }) => {
    const changes = histories.get(name) ?? [];
    histories.set(name, changes);
    return changes;
  }),
  fault: withId,
});
const messages: Part = {
  ...list("messages", ({ everything }) => everything),
  fault: withId,
  clear: (world) => {
    for (const chat of world.chats.keys()) world.forgetChat(chat);
  },
  put: (world, { record }) => void world.addMessage(record as Message),
};

/** Messages before chats: a chat's messages are forgotten by it. */
const ALWAYS: Record<string, Part> = {
  [ACCOUNT]: account,
  keys: byKey("keys", ({ keys }) => keys),
  users: byId("users", ({ users }) => users),
  customFields: byKey("customFields", ({ customFields }) => customFields),
  customDictionaries: byKey("customDictionaries", ({ customDictionaries }) => customDictionaries),
  productProperties: byKey("productProperties", ({ productProperties }) => productProperties),
  userGroups: byKey("userGroups", ({ userGroups }) => userGroups),
  combined: byKey("combined", ({ combined }) => combined),
  modules: byKey("modules", ({ modules }) => modules),
  bots: byId("bots", ({ bots }) => bots, BOT),
  channels: byId("channels", ({ channels }) => channels),
  templates: list("templates", ({ templates }) => templates),
  "chat-customers": byId("chat-customers", ({ customers }) => customers),
  messages,
  chats: byId("chats", ({ chats }) => chats),
  "file-bytes": byKey("file-bytes", ({ files }) => files, FILE),
  notifications: list("notifications", ({ notifications }) => notifications),
};

/** By table; in the order of an archive. */
export const partsOf = ({ tables, dictionaries, histories }: World): Map<string, Part> =>
  new Map([
    ...Object.entries(ALWAYS),
    ...[...dictionaries.keys()].map((path): [string, Part] => [`reference/${path}`, dictionary(path)]),
    ...(Object.keys(tables) as TableName[]).map((table): [string, Part] => [table, rows(table)]),
    ...[...histories.keys()].map((name): [string, Part] => [`history/${name}`, history(name)]),
  ]);

/** Also of a history that has no entry yet. */
export function partOf(parts: ReadonlyMap<string, Part>, table: string): Part | undefined {
  const [, unwritten] = /^history\/([\w-]+)$/.exec(table) ?? [];
  return parts.get(table) ?? (unwritten === undefined ? undefined : history(unwritten));
}
