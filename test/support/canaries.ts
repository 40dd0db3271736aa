import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect } from "vitest";
import { createLog, type Log } from "../../src/log.ts";
import { adapters } from "../../src/messengers.ts";
import { secretSettings } from "../../src/module/channels/secret-settings.ts";
import { runOn, sealedIn } from "../../src/store/care/verify.ts";
import { createSealer, ifOpens, type KeyRing, type Sealer } from "../../src/store/secrets.ts";
import { SEALED_COLUMNS, type SealedColumn, sealedRows } from "../../src/store/tables/care/sealed.ts";
import { madeDatabase, rowsAt } from "./engine.ts";
import type { Row } from "./rows.ts";

/** Shorter secrets would match ordinary words. */
const MIN_LENGTH = 16;
/** Secrets checked per column; tests with thousands generate them alike. */
const MAX_PER_COLUMN = 25;

/** What was searched for one test's secrets. */
export interface Searched {
  secrets: number;
  databases: number;
  files: number;
  lines: number;
  pages: number;
}

interface Recorded {
  known: Set<string>;
  lines: string[][];
  pages: string[];
}
const recorded = new Map<string, Recorded>();
const recordedOf = (folder: string): Recorded => {
  const found = recorded.get(folder) ?? { known: new Set(), lines: [], pages: [] };
  recorded.set(folder, found);
  return found;
};

/** A server's log at debug level. Secrets to hide count as canaries too. */
export function canaryLog(folder: string): { log: Log; lines: string[] } {
  const { known } = recordedOf(folder);
  const lines: string[] = [];
  recordOutput(folder, lines);
  const log = createLog({ level: "debug", write: (text) => lines.push(...text.split(/(?<=\n)/)) });
  const hide = (secret: string) => {
    if (secret.length >= MIN_LENGTH) known.add(secret);
    log.hide(secret);
  };
  return { log: { ...log, hide }, lines };
}

/** Records output of a folder's server or commands; `lines` may grow until the test ends. */
export const recordOutput = (folder: string, lines: string[]): void => void recordedOf(folder).lines.push(lines);

/** Records a page. A door may stand in a web chat's snippet, on its test page, and among what a person copies to the other side. */
export const recordPage = (folder: string, page: string): void =>
  void recordedOf(folder).pages.push(
    page
      .replaceAll(/((?:widget|design)\.js(?:&quot;|") data-channel=(?:&quot;|"))[\w-]+/g, "$1")
      .replaceAll(/(<code[^>]*>https?:\/\/[^<\s]+\/m\/)[\w-]+(?=<\/code>)/g, "$1"),
  );

/**
 * Searches all output, files and tables for the secrets in a test's databases and those its server has known. The folder's
 * files include plain columns, dead letters, kept files and backups.
 */
export async function searchForSecrets(folder: string, ring: KeyRing): Promise<Searched> {
  const { known, lines, pages } = recordedOf(folder);
  recorded.delete(folder);
  const files = filesIn(folder);
  const databases = files.filter(isDatabase);
  const url = await madeDatabase(folder);
  const stored = url === undefined ? [] : await secretsAt(url, ring);
  const secrets = [...new Set([...known, ...stored, ...databases.flatMap((file) => secretsOf(file, ring))])];
  const seenIn = (text: string) => secrets.filter((secret) => text.includes(secret));
  const said = lines.flat();
  expect(seenIn(said.join("\n")), "secrets in what was logged or printed").toEqual([]);
  expect(seenIn(pages.join("\n")), "secrets in pages").toEqual([]);
  if (secrets.length > 0)
    for (const file of files) expect(seenIn(readFileSync(file, "latin1")), `secrets in ${file}`).toEqual([]);
  if (secrets.length > 0 && url !== undefined)
    for (const [table, rows] of Object.entries(await rowsAt(url)))
      expect(seenIn(textOf(rows)), `secrets in the table ${table}`).toEqual([]);
  const searched = {
    databases: databases.length + (url === undefined ? 0 : 1),
    files: files.length,
    lines: said.length,
    pages: pages.length,
  };
  return { secrets: secrets.length, ...searched };
}

/** Adds the counts to the suite's sum, if there is one. */
export function addToSum(searched: Searched): void {
  const book = process.env.CANARY_BOOK;
  if (book && searched.secrets > 0) appendFileSync(book, `${JSON.stringify(searched)}\n`);
}

let secretsAmong: ReturnType<typeof secretSettings> | undefined;

/** Secrets that the ring opens; none from a damaged file. */
function secretsOf(file: string, ring: KeyRing): string[] {
  const sealer = createSealer(ring);
  try {
    const sqlite = new Sqlite(file, { readonly: true, timeout: 0 });
    try {
      const kindOf = sqlite.prepare<[string], string>("SELECT kind FROM channel WHERE id = ?").pluck();
      return sealedIn({ sqlite })
        .filter(holdsSecrets)
        .flatMap((column) =>
          runOn({ sqlite }, sealedRows(column, 0, MAX_PER_COLUMN)).flatMap(({ key, value }) =>
            secretsIn(sealer, column, { key, value, kind: kindOf.get(key) }),
          ),
        );
    } finally {
      sqlite.close();
    }
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) return [];
    throw error;
  }
}

/** The same of PostgreSQL's database. */
async function secretsAt(url: string, ring: KeyRing): Promise<string[]> {
  const sealer = createSealer(ring);
  const rows = await rowsAt(url, ["account", "channel"]);
  return SEALED_COLUMNS.filter(holdsSecrets).flatMap((column) =>
    (rows[column.table] ?? []).slice(0, MAX_PER_COLUMN).flatMap((row) => {
      const { id, kind } = row as { id: string; kind?: string };
      return secretsIn(sealer, column, { key: id, value: String(row[column.column]), kind });
    }),
  );
}

const textOf = (rows: Row[]): string =>
  rows
    .flatMap(Object.values)
    .map((value) => (Buffer.isBuffer(value) ? value.toString("latin1") : String(value)))
    .join("\n");

const holdsSecrets = ({ table }: SealedColumn): boolean => table === "account" || table === "channel";

function secretsIn(
  sealer: Sealer,
  { table, column, address }: SealedColumn,
  { key, value, kind = "" }: { key: string; value: string; kind?: string },
): string[] {
  const plain = ifOpens(() => sealer.open(value, address(key)));
  if (plain === undefined) return [];
  const secrets = table === "channel" ? secretsOfChannel(kind, column, plain) : [plain];
  return secrets.filter((secret) => secret.length >= MIN_LENGTH);
}

function secretsOfChannel(kind: string, column: string, plain: string): string[] {
  // The door of a web chat is public: it is in every page of its shop.
  if (column === "door_sealed") return kind === "webchat" ? [] : [plain];
  secretsAmong ??= secretSettings(adapters);
  return secretsAmong(kind, JSON.parse(plain));
}

function isDatabase(file: string): boolean {
  const start = Buffer.alloc(15);
  const handle = openSync(file, "r");
  readSync(handle, start, 0, start.length, 0);
  closeSync(handle);
  return start.toString("latin1") === "SQLite format 3";
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter(isReadable);
}

/** Some tests revoke the permission. */
function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
