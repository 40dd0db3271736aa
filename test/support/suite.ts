import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Looked } from "./canaries.ts";

/**
 * Around the whole suite: sums up where its secrets were looked for. One that is found fails its own test. The sum goes to
 * the standard error, since what reporters write is read by programs.
 */
export default function suite(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "gangway-suite-"));
  const book = join(folder, "canaries");
  process.env.CANARY_BOOK = book;
  return () => {
    const lines = existsSync(book) ? readFileSync(book, "utf8").trim().split("\n") : [];
    const told = lines.map((line) => JSON.parse(line) as Looked);
    const sum = (what: keyof Looked) => told.reduce((all, looked) => all + looked[what], 0);
    if (told.length > 0)
      process.stderr.write(
        `canaries: ${sum("secrets")} secrets looked for in ${sum("databases")} databases and backups, ` +
          `${sum("files")} files, ${sum("lines")} log lines and ${sum("pages")} pages of ${told.length} data folders\n`,
      );
    rmSync(folder, { recursive: true, force: true });
  };
}
