import {
  type Former,
  type FormerAccount,
  type FormerModule,
  type Query,
  UnknownSchema,
} from "gangway-messenger/former";
import * as z from "zod";
import { LANGUAGES } from "./wire.ts";

/**
 * The official module in Go (github.com/retailcrm/mg-transport-telegram: migrations/, src/models.go). These migrations
 * made its tables; a database with any other migration is of an unknown version.
 */
const MIGRATIONS = [
  1525942800, 1525944630, 1526308450, 1526636120, 1527515265, 1528208070, 1528538599, 1530177124, 1537271655,
  1537452694, 1545914948,
].map(String);

const TEXT = ["text", "character varying"];
const NUMBER = ["integer", "bigint"];
/** Allowed types of a column, by its name. */
type Columns = Record<string, string[]>;

const CONNECTION: Columns = {
  ...{ id: NUMBER, client_id: TEXT, api_key: TEXT, api_url: TEXT, mg_url: TEXT, mg_token: TEXT },
};
/** The channel is a number in the program, but text in the tables of most versions. */
const BOT: Columns = { id: NUMBER, channel: [...TEXT, ...NUMBER, "numeric"], token: TEXT, name: TEXT };
/** The column with a bot's account: since migration 1527515265, and before. */
const OWNER: Columns = { connection_id: NUMBER, client_id: TEXT };
/** Present in some versions only. */
const OPTIONAL: Columns = { lang: TEXT, active: ["boolean"] };

const COLUMNS = `SELECT table_name::text AS table, column_name::text AS column, data_type::text AS type
  FROM information_schema.columns WHERE table_schema = current_schema()
  AND table_name IN ('connection', 'bot', 'schema_migrations')`;

const columnRow = z.object({ table: z.string(), column: z.string(), type: z.string() });
const field = z
  .string()
  .nullish()
  .transform((value) => value?.trim() ?? "");
const connectionRow = z.object({
  ...{ id: z.string(), client_id: field, api_key: field, api_url: field, mg_url: field, mg_token: field },
});
const botRow = z.object({
  ...{ owner: field, channel: field, token: field, name: field, lang: field },
  active: field.transform((value) => value !== "false"),
});

type Tables = Map<string, Map<string, string>>;

async function tablesOf(query: Query): Promise<Tables> {
  const tables: Tables = new Map();
  for (const { table, column, type } of z.array(columnRow).parse(await query(COLUMNS)))
    tables.set(table, (tables.get(table) ?? new Map()).set(column, type));
  return tables;
}

const strange = (what: string) =>
  new UnknownSchema(`this is no database of mg-transport-telegram in a version that can be read: ${what}`);

/** Throws UnknownSchema unless the table has these columns, of one of their types. */
function assertColumns(tables: Tables, table: string, columns: Columns): Map<string, string> {
  const found = tables.get(table);
  if (!found) throw strange(`it has no table "${table}"`);
  for (const [column, types] of Object.entries(columns)) {
    const type = found.get(column);
    if (type === undefined) throw strange(`its table "${table}" has no column "${column}"`);
    if (!types.includes(type)) throw strange(`the column "${column}" of its table "${table}" is of type ${type}`);
  }
  return found;
}

/** A column that only some versions have: undefined if it is missing. */
function optional(tables: Tables, column: string, of: Columns): string | undefined {
  const known = { [column]: of[column] ?? [] };
  return tables.get("bot")?.has(column) && assertColumns(tables, "bot", known) ? column : undefined;
}

async function assertMigrated(query: Query, tables: Tables): Promise<void> {
  // A copy of the tables may lack the list of migrations.
  if (!tables.has("schema_migrations")) return;
  const row = z.object({ version: z.string(), dirty: z.string() });
  for (const found of await query("SELECT version::text, dirty::text FROM schema_migrations")) {
    const { version, dirty } = row.parse(found);
    if (dirty === "true")
      throw strange(`its migration ${version} has failed half-way; finish it with the module's own tool`);
    if (!MIGRATIONS.includes(version))
      throw strange(`it has run the migration ${version}, which this version does not know`);
  }
}

const languageOf = (lang: string) => LANGUAGES.find((known) => known === lang) ?? "en";

async function read(query: Query): Promise<Former> {
  const tables = await tablesOf(query);
  assertColumns(tables, "connection", CONNECTION);
  assertColumns(tables, "bot", BOT);
  await assertMigrated(query, tables);
  const owner = optional(tables, "connection_id", OWNER) ?? optional(tables, "client_id", OWNER);
  if (owner === undefined) throw strange('its table "bot" has neither "connection_id" nor "client_id"');
  const [lang, active] = ["lang", "active"].map((column) => optional(tables, column, OPTIONAL));
  const connections = z
    .array(connectionRow)
    .parse(
      await query(
        "SELECT id::text, client_id, api_key, api_url, mg_url, mg_token FROM connection ORDER BY connection.id",
      ),
    );
  const more = `${lang ?? "NULL"} AS lang, ${active ? `${active}::text` : "NULL"} AS active`;
  const bots = z
    .array(botRow)
    .parse(await query(`SELECT ${owner}::text AS owner, channel::text, token, name, ${more} FROM bot ORDER BY bot.id`));
  const byOwner = Map.groupBy(bots, (bot) => bot.owner);
  const keyOf = (row: z.infer<typeof connectionRow>) => (owner === "connection_id" ? row.id : row.client_id);
  const accounts = connections.map(
    (row): FormerAccount => ({
      ...{ clientId: row.client_id, crmUrl: row.api_url, apiKey: row.api_key },
      ...{ gatewayUrl: row.mg_url, gatewayToken: row.mg_token },
      logins: (byOwner.get(keyOf(row)) ?? []).map(({ channel, name, token, lang: language, active: isOn }) => ({
        ...{ gatewayChannelId: channel, name, loginId: token.split(":", 1)[0] ?? "" },
        settings: { token, language: languageOf(language), takeOver: true },
        ...(!isOn && { isOff: true }),
      })),
    }),
  );
  const owned = accounts.reduce((sum, { logins }) => sum + logins.length, 0);
  return { accounts, strays: bots.length - owned };
}

export const goModule: FormerModule = { name: "mg-transport-telegram", read };
