import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFolder } from "../../tools/memory.ts";
import type { Searched } from "./canaries.ts";
import { startChromium } from "./chromium.ts";
import { startWithTables } from "./postgres-server.ts";
import { share } from "./shared.ts";

/** Minutes of the whole suite, times cores: measured on two. */
const CORE_MINUTES = 14;
/** What all tests at once may write, bytes. */
const ROOM = 4 * 1024 ** 3;
const LEFT_OUT =
  "Left out: npm test -w sandbox, npm run test:long (torture, nearly all that also runs on PostgreSQL, kills, conformance, " +
  "tutorial, launcher, undocumented behaviour, every look: half an hour), npm run test:release (tarballs, upgrade, import, probe), " +
  "npm run torture, npm run simulate, npm run model, npm run fuzz, npm run test:unknowns, npm run bench.\n";

/**
 * Has a PostgreSQL server and a Chromium for the tests that ask for one. Sums up where the whole suite's secrets were searched
 * for; a secret found fails its own test. Prints to stderr, because programs read the reporters' output.
 */
export default async function suite(): Promise<() => Promise<void>> {
  const whole = process.env.WHOLE === "1";
  const cores = availableParallelism();
  if (whole)
    process.stderr.write(`All tests: about ${Math.ceil(CORE_MINUTES / cores)} minutes on ${cores} idle cores.\n`);
  process.env.TMPDIR = memoryFolder(ROOM) ?? tmpdir();
  const folder = mkdtempSync(join(tmpdir(), "gangway-suite-"));
  const book = join(folder, "canaries");
  process.env.CANARY_BOOK = book;
  const ends = [await share(folder, "postgres", startWithTables), await share(folder, "chromium", startChromium)];
  return async () => {
    await Promise.all(ends.map((end) => end()));
    const lines = existsSync(book) ? readFileSync(book, "utf8").trim().split("\n") : [];
    const entries = lines.map((line) => JSON.parse(line) as Searched);
    const sum = (what: keyof Searched) => entries.reduce((all, entry) => all + entry[what], 0);
    if (entries.length > 0)
      process.stderr.write(
        `No secret leaked (canaries): ${sum("secrets")} searched for in ${sum("databases")} databases and backups, ` +
          `${sum("files")} files, ${sum("lines")} log lines and ${sum("pages")} pages of ${entries.length} data folders\n`,
      );
    if (whole) process.stderr.write(LEFT_OUT);
    rmSync(folder, { recursive: true, force: true });
  };
}
