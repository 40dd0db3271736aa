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
import { adapters } from "../../src/channels/registry.ts";
import { secretSettings } from "../../src/channels/secret-settings.ts";
import { createLog, type Log } from "../../src/log.ts";
import { sealedIn, sealedRows } from "../../src/store/care/sealed.ts";
import { createSealer, ifOpens, type KeyRing } from "../../src/store/secrets.ts";

/** Shorter ones are words that stand anywhere. */
const SHORTEST = 16;
/** So many secrets of one column of a database stand for all: a test that makes thousands makes them alike. */
const MOST = 25;

/** What became of the secrets of one test's folder. */
export interface Looked {
  secrets: number;
  databases: number;
  files: number;
  lines: number;
  pages: number;
}

interface Heard {
  known: Set<string>;
  lines: string[][];
  pages: string[];
}
const heard = new Map<string, Heard>();
const heardOf = (folder: string): Heard => {
  const found = heard.get(folder) ?? { known: new Set(), lines: [], pages: [] };
  heard.set(folder, found);
  return found;
};

/** The log of a folder's server at its most talkative. Every secret that it is told is a canary, too. */
export function canaryLog(folder: string): { log: Log; lines: string[] } {
  const { known } = heardOf(folder);
  const lines: string[] = [];
  hear(folder, lines);
  const log = createLog({ level: "debug", write: (line) => lines.push(line) });
  const hide = (secret: string) => {
    if (secret.length >= SHORTEST) known.add(secret);
    log.hide(secret);
  };
  return { log: { ...log, hide }, lines };
}

/** What the server of a folder, or a command beside it, says; `lines` may grow until the test is over. */
export const hear = (folder: string, lines: string[]): void => void heardOf(folder).lines.push(lines);

/** What it shows to people. The door of a web chat is in its snippet, where it belongs. */
export const see = (folder: string, page: string): void =>
  void heardOf(folder).pages.push(page.replaceAll(/(widget\.js&quot; data-channel=&quot;)[\w-]+/g, "$1"));

/**
 * Looks for the secrets of a test's databases, and for those that its server has known, in all that it leaves and has said:
 * plain columns, dead letters and kept files are in the files of the folder, and so are its backups.
 */
export function lookForSecrets(folder: string, ring: KeyRing): Looked {
  const { known, lines, pages } = heardOf(folder);
  heard.delete(folder);
  const files = filesIn(folder);
  const databases = files.filter(isDatabase);
  const secrets = [...new Set([...known, ...databases.flatMap((file) => secretsOf(file, ring))])];
  const seenIn = (text: string) => secrets.filter((secret) => text.includes(secret));
  const said = lines.flat();
  expect(seenIn(said.join("\n")), "secrets in what was logged or printed").toEqual([]);
  expect(seenIn(pages.join("\n")), "secrets in pages").toEqual([]);
  if (secrets.length > 0)
    for (const file of files) expect(seenIn(readFileSync(file, "latin1")), `secrets in ${file}`).toEqual([]);
  const looked = { databases: databases.length, files: files.length, lines: said.length, pages: pages.length };
  return { secrets: secrets.length, ...looked };
}

/** Puts it down for the sum of the whole suite, where somebody asks for one. */
export function putDown(looked: Looked): void {
  const book = process.env.CANARY_BOOK;
  if (book && looked.secrets > 0) appendFileSync(book, `${JSON.stringify(looked)}\n`);
}

let secretsAmong: ReturnType<typeof secretSettings> | undefined;

/** What opens with the ring; nothing of a file that is damaged. */
function secretsOf(file: string, ring: KeyRing): string[] {
  const sealer = createSealer(ring);
  try {
    const sqlite = new Sqlite(file, { readonly: true, timeout: 0 });
    try {
      const found = sealedIn({ sqlite })
        .filter(({ table }) => table === "account" || table === "channel")
        .flatMap((column) =>
          sealedRows({ sqlite }, column, 0, MOST).flatMap(({ key, value }) => {
            const plain = ifOpens(() => sealer.open(value, column.address(key)));
            if (plain === undefined) return [];
            return column.table === "channel" ? secretsOfChannel(sqlite, key, column.column, plain) : [plain];
          }),
        );
      return found.filter((secret) => secret.length >= SHORTEST);
    } finally {
      sqlite.close();
    }
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) return [];
    throw error;
  }
}

function secretsOfChannel(sqlite: Sqlite.Database, id: string, column: string, plain: string): string[] {
  const kind = sqlite.prepare<[string], string>("SELECT kind FROM channel WHERE id = ?").pluck().get(id) ?? "";
  // The door of a web chat stands in every page of its shop, and so in what visitors bring from there.
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

/** Some tests take that away. */
function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
