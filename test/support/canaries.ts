import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Log } from "../../src/log.ts";

/** Shorter ones are words that stand anywhere. */
const SHORTEST = 16;

/** Every secret that a server has known is a canary: none may be found in its log or in its folder, in the clear. */
export function canaries(log: Log) {
  const secrets = new Set<string>();
  const hide = (secret: string) => {
    if (secret.length >= SHORTEST) secrets.add(secret);
    log.hide(secret);
  };
  const seenIn = (text: string) => [...secrets].filter((secret) => text.includes(secret));
  return {
    log: { ...log, hide },
    /** After the server has closed its database. */
    check(lines: string[], folder: string): void {
      expect(seenIn(lines.join("\n")), "secrets in the log").toEqual([]);
      for (const file of filesIn(folder))
        expect(seenIn(readFileSync(file, "latin1")), `secrets in ${file}`).toEqual([]);
    },
  };
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
