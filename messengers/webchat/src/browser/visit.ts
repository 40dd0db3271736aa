import { cutText } from "./cut.ts";
import { parsed } from "./json.ts";
import type { Memory } from "./memory.ts";
import type { Utm } from "./protocol.ts";

const UTM_TAGS = ["source", "medium", "campaign", "term", "content"] as const;
/** A visit ends after this time without a page view or a message, ms; usual in web analytics. */
const VISIT_MS = 30 * 60_000;
/** Longest tag that the gateway accepts. */
const TAG_LENGTH = 255;

/** UTM tags of this page, else of the page before, else those kept as long as the visit lasts. */
export function visitOf(memory: Memory, address: string, before = ""): () => Utm | undefined {
  const utm = tagsIn(address) ?? storedTags(memory) ?? tagsOfOwn(before, address);
  const keep = () => {
    if (utm) memory.set("visit", JSON.stringify({ utm, at: Date.now() }));
    return utm;
  };
  keep();
  return keep;
}

function tagsIn(address: string): Utm | undefined {
  const query = new URL(address).searchParams;
  const found = UTM_TAGS.map((tag) => [tag, cutText(query.get(`utm_${tag}`) ?? "", TAG_LENGTH)]).filter(
    ([, value]) => value,
  );
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** Nothing is stored until somebody opens the chat, but the page before may have been the landing page. */
const tagsOfOwn = (before: string, address: string) =>
  URL.canParse?.(before) && new URL(before).origin === new URL(address).origin ? tagsIn(before) : undefined;

function storedTags(memory: Memory): Utm | undefined {
  const stored = parsed<{ utm: Utm; at: number }>(memory.get("visit"));
  if (stored && Date.now() - stored.at < VISIT_MS) return stored.utm;
  memory.set("visit", null);
  return undefined;
}
