import { UnknownSchema } from "gangway-messenger/former";
import { describe, expect, it } from "vitest";
import { goModule } from "../../src/former.ts";

type Columns = Record<string, string>;
const [TEXT, VARCHAR, INT] = ["text", "character varying", "integer"];
const CONNECTION: Columns = {
  ...{ id: INT, client_id: VARCHAR, api_key: VARCHAR, api_url: VARCHAR, mg_url: VARCHAR, mg_token: VARCHAR },
  ...{ created_at: "timestamp with time zone", active: "boolean" },
};
const BOT: Columns = {
  ...{ id: INT, connection_id: INT, channel: TEXT, token: VARCHAR, name: VARCHAR, lang: VARCHAR },
  channel_settings_hash: VARCHAR,
};
const without = (columns: Columns, ...names: string[]): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !names.includes(name)));

const CONNECTIONS = [
  { id: "1", client_id: " c1 ", api_key: "k", api_url: "https://a.retailcrm.ru/", mg_url: "https://mg", mg_token: "t" },
  { id: "2", client_id: "c2", api_key: null, api_url: null, mg_url: null, mg_token: null },
];
const BOTS = [
  { owner: "1", channel: "9007199254740993", token: "1:x", name: "@one", lang: "ru", active: null },
  { owner: "1", channel: "8", token: "2:x", name: null, lang: "xx", active: "false" },
  { owner: "9", channel: "9", token: "3:x", name: "@stray", lang: null, active: null },
];

/** A database with these tables; asks nothing of columns that it lacks. */
function database(tables: Record<string, Columns>, { version = "1545914948", dirty = "false", bots = BOTS } = {}) {
  const asked: string[] = [];
  const query = async (statement: string) => {
    asked.push(statement);
    if (statement.includes("information_schema"))
      return Object.entries(tables).flatMap(([table, columns]) =>
        Object.entries(columns).map(([column, type]) => ({ table, column, type })),
      );
    if (statement.includes("schema_migrations")) return [{ version, dirty }];
    return statement.includes("FROM connection") ? CONNECTIONS : bots;
  };
  return { read: () => goModule.read(query), asked };
}
const MIGRATIONS = { version: "bigint", dirty: "boolean" };
const NEWEST = { connection: CONNECTION, bot: BOT, schema_migrations: MIGRATIONS };

describe("the former module's database", () => {
  it("is read as it is: ids as digits, languages that are known, what is missing as nothing, and strays counted", async () => {
    const { read, asked } = database(NEWEST);
    const { accounts, strays } = await read();
    expect(strays).toBe(1);
    expect(accounts).toEqual([
      {
        ...{
          clientId: "c1",
          apiKey: "k",
          crmUrl: "https://a.retailcrm.ru/",
          gatewayUrl: "https://mg",
          gatewayToken: "t",
        },
        logins: [
          {
            ...{ gatewayChannelId: "9007199254740993", name: "@one", loginId: "1" },
            settings: { token: "1:x", language: "ru", takeOver: true },
          },
          {
            ...{ gatewayChannelId: "8", name: "", loginId: "2", isOff: true },
            settings: { token: "2:x", language: "en", takeOver: true },
          },
        ],
      },
      { clientId: "c2", apiKey: "", crmUrl: "", gatewayUrl: "", gatewayToken: "", logins: [] },
    ]);
    for (const statement of asked) expect(statement).toMatch(/^SELECT /);
    expect(asked.join()).toContain("connection_id::text AS owner");
  });

  it("is read in its older versions, and without the list of migrations", async () => {
    const young = database({ connection: CONNECTION, bot: without(BOT, "lang", "channel_settings_hash") });
    expect((await young.read()).accounts[0]?.logins).toHaveLength(2);
    expect(young.asked.join()).toContain("NULL AS lang");
    const byClient = BOTS.map((bot) => ({ ...bot, owner: bot.owner === "1" ? "c1" : "c9" }));
    const tables = { ...NEWEST, bot: { ...without(BOT, "connection_id", "lang"), client_id: TEXT, active: "boolean" } };
    const oldest = database(tables, { version: "1526636120", bots: byClient });
    expect((await oldest.read()).accounts[0]?.logins).toHaveLength(2);
    expect(oldest.asked.join()).toMatch(/client_id::text AS owner.*active::text AS active/);
    const numbers = database({ ...NEWEST, bot: { ...BOT, channel: "bigint" } });
    expect((await numbers.read()).accounts).toHaveLength(2);
  });

  it.each<[string, ReturnType<typeof database>, RegExp]>([
    ["no such tables", database({}), /it has no table "connection"/],
    ["no table of bots", database({ connection: CONNECTION }), /it has no table "bot"/],
    ["no token", database({ ...NEWEST, bot: without(BOT, "token") }), /its table "bot" has no column "token"/],
    ["bots before channels", database({ ...NEWEST, bot: without(BOT, "channel") }), /has no column "channel"/],
    ["a column of another type", database({ ...NEWEST, bot: { ...BOT, channel: "jsonb" } }), /is of type jsonb/],
    ["bots of nobody", database({ ...NEWEST, bot: without(BOT, "connection_id") }), /neither "connection_id" nor/],
    ["a newer migration", database(NEWEST, { version: "1700000000" }), /run the migration 1700000000, which/],
    ["a failed migration", database(NEWEST, { dirty: "true" }), /1545914948 has failed half-way/],
  ])("is refused in words with %s", async (_, { read }, words) => {
    const error = await read().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnknownSchema);
    expect(error.message).toMatch(/^this is no database of mg-transport-telegram in a version that can be read: /);
    expect(error.message).toMatch(words);
  });
});
