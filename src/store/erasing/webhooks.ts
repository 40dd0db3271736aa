import { setImmediate } from "node:timers/promises";
import { lastRaw, nextRaw, replaceRaw, type SealedWebhook, sealedRest } from "../tables/channels/raw-webhooks.ts";
import type { Run } from "./batches.ts";

/** Opens every row of raw webhooks, and seals again those that hold some of theirs, without them. One row at a time: they are large. */
export async function eraseWebhooks(run: Run, isTheirs: (webhook: SealedWebhook) => boolean): Promise<void> {
  const { erasingEngine, sealer, count } = run;
  const { read, write } = erasingEngine.engine;
  const end = await read(lastRaw);
  for (let after = 0; after < end; await setImmediate()) {
    const at = after;
    const found = await read(() => nextRaw(sealer, at));
    if (!found) return;
    const { row, all } = found;
    const kept = all.filter((webhook) => !isTheirs(webhook));
    const gone = all.length - kept.length;
    if (gone > 0) {
      const rest = sealedRest(sealer, row, kept);
      const stored = await write(function* () {
        const isSame = yield* replaceRaw(row, rest);
        if (isSame) yield* count({ webhooks: gone });
        return isSame;
      });
      if (!stored) continue;
    }
    after = row.id;
  }
}

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
