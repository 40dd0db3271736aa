// Lists the documentation pages that messengers rely on and that nobody has checked for long: a messenger's README ends
// with them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.ts";

export interface Page {
  /** Path of the README. */
  readme: string;
  url: string;
  /** Day of the last check, such as 2026-11-20. */
  read: string;
}

/** Days after which a page is due for a check. */
const MAX_DAYS = 90;
const DAY_MS = 24 * 3_600_000;

/** The table at the end of a README; none if it has no such table, or text after it. */
export function pagesIn(readme: string, text: string): Page[] {
  const [, rows = ""] =
    /^## Sources\n\n\| Page \| Read \|\n\| --- \| --- \|\n((?:\| .* \|\n)+)(?![\s\S])/m.exec(text) ?? [];
  const pages = [...rows.matchAll(/^\| <(https:\/\/[^>\s]+)> \| (\d{4}-\d\d-\d\d) \|$/gm)];
  return pages.map(([, url = "", read = ""]) => ({ readme, url, read }));
}

export const allPages = (root = ROOT): Page[] =>
  globSync("messengers/*/README.md", { cwd: root }).flatMap((readme) =>
    pagesIn(readme, readFileSync(join(root, readme), "utf8")),
  );

/** Oldest first. */
export const outdated = (pages: Page[], now: number): Page[] =>
  pages.filter(({ read }) => now - Date.parse(read) > MAX_DAYS * DAY_MS).sort((a, b) => (a.read < b.read ? -1 : 1));

if (import.meta.main) {
  const pages = allPages();
  const old = outdated(pages, Date.now());
  for (const { read, readme, url } of old) process.stdout.write(`${read}  ${readme}  ${url}\n`);
  process.stdout.write(`${old.length} of ${pages.length} pages were read more than ${MAX_DAYS} days ago.\n`);
}
