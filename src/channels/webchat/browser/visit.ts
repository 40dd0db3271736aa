import { parsed } from "./json.ts";
import type { Memory } from "./memory.ts";
import type { Utm } from "./protocol.ts";

const MARKS = ["source", "medium", "campaign", "term", "content"] as const;
/** A visit ends after so long without a page view or a message, ms, as in common web analytics. */
const VISIT_MS = 30 * 60_000;
/** Longest mark the gateway takes. */
const MOST = 255;

/** The utm marks of the landing page, for as long as the visit lasts. */
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
  const kept = parsed<{ utm: Utm; at: number }>(memory.get("visit"));
  if (kept && Date.now() - kept.at < VISIT_MS) return kept.utm;
  memory.set("visit", null);
  return undefined;
}
