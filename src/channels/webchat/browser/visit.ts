import type { Memory } from "./memory.ts";
import type { Utm } from "./protocol.ts";

const MARKS = ["source", "medium", "campaign", "term", "content"] as const;
/** A visit is over after so long without a page or a word, ms: as the common counters of visits have it. */
const VISIT_MS = 30 * 60_000;
/** As long as the gateway keeps of a mark. */
const MOST = 255;

/** Where the visitor came from: the marks in the landing page's address, as long as the visit lasts. */
export function visitOf(memory: Memory, address: string): () => Utm | undefined {
  const utm = marksIn(address) ?? remembered(memory);
  const keep = () => {
    if (utm) memory.set("visit", JSON.stringify({ utm, at: Date.now() }));
    return utm;
  };
  keep();
  return keep;
}

function marksIn(address: string): Utm | undefined {
  const query = new URL(address).searchParams;
  const found = MARKS.map((mark) => [mark, query.get(`utm_${mark}`)?.slice(0, MOST)]).filter(([, value]) => value);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function remembered(memory: Memory): Utm | undefined {
  try {
    const { utm, at } = JSON.parse(memory.get("visit") ?? "{}");
    if (Date.now() - at < VISIT_MS) return utm;
  } catch {
    // Another's writing.
  }
  memory.set("visit", null);
  return undefined;
}
