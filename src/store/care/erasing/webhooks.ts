import { setImmediate } from "node:timers/promises";
import { lastRaw, nextRaw, replacingRaw } from "../../sqlite/tables/raw-webhooks.ts";
import type { SealedWebhook } from "../../tables/raw-webhooks.ts";
import type { Run } from "./batches.ts";

/** Opens every row of raw webhooks, and seals again those that hold some of theirs, without them. One row at a time: they are large. */
export async function eraseWebhooks(run: Run, isTheirs: (webhook: SealedWebhook) => boolean): Promise<void> {
  const { db, sealer } = run;
  const end = lastRaw(db);
  for (let after = 0; after < end; await setImmediate()) {
    const found = nextRaw(db, sealer, after);
    if (!found) return;
    const { row, all } = found;
    const kept = all.filter((webhook) => !isTheirs(webhook));
    if (
      kept.length < all.length &&
      !(await replace(run, replacingRaw(db, sealer, row, kept), all.length - kept.length))
    )
      continue;
    after = row.id;
  }
}

const replace = ({ db, count }: Run, store: () => boolean, webhooks: number): Promise<boolean> =>
  db.write(() => {
    const stored = store();
    if (stored) count({ webhooks });
    return stored;
  });

/** All that a webhook says, also what its JSON writes in escapes. */
export function textOf({ path, headers, body }: SealedWebhook["raw"]): string {
  const parts = [path, JSON.stringify(headers), body];
  try {
    parts.push(JSON.stringify(JSON.parse(body)));
  } catch {
    // No JSON: its text says it all.
  }
  return parts.join("\n");
}

/** Whether a text contains one of the names as a whole: not an id within a longer one. */
export function namedBy(names: string[]): (text: string) => boolean {
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\w-])(?:${escaped.join("|")})(?![\\w-])`, "u");
  return (text) => pattern.test(text);
}
