import { slicesOf } from "../../domain/counts.ts";
import { eachRow } from "../tables/each-row.ts";
import { first, run as runs, type Work } from "../tables/engine.ts";
import { ROWS, type Run, rest } from "./batches.ts";

const QUOTING = { table: "message", key: "id", columns: "id, payload", where: "payload LIKE '%\"quote%'" };
const PAYLOAD = "SELECT payload FROM message WHERE id = @id";
const UNQUOTE = "UPDATE message SET payload = @payload WHERE id = @id";

/** Takes the words of these messages out of quotes: other members of a group may have quoted them. */
export async function unquote(run: Run, channelId: string, ids: ReadonlySet<string>): Promise<void> {
  const { engine } = run.ground;
  const quoting: number[] = [];
  await eachRow<{ id: number; payload: string }>(engine, QUOTING, [channelId], ({ id, payload }) => {
    if (ids.has(quotedIn(payload) ?? "")) quoting.push(id);
  });
  for (const slice of slicesOf(quoting, ROWS)) {
    await engine.write(function* (): Work<void> {
      for (const id of slice) {
        const row = yield* first<{ payload: string | null }>(PAYLOAD, { id });
        if (row?.payload) yield* runs(UNQUOTE, { id, payload: withoutQuote(row.payload) });
      }
    });
    await rest(run);
  }
}

function quotedIn(payload: string): string | undefined {
  try {
    const { quote } = JSON.parse(payload);
    return quote?.messengerMessageId ?? quote;
  } catch {
    return undefined;
  }
}

function withoutQuote(payload: string): string {
  const { quoted: _, quote, ...said } = JSON.parse(payload);
  if (quote && typeof quote === "object") delete quote.text;
  return JSON.stringify({ ...said, quote });
}
