import type { Marked } from "./formatting/marked.ts";
import { normalized } from "./formatting/normalized.ts";
import { badRequest, Malformed } from "./refusal.ts";
import { userOf } from "./rooms.ts";
import type { Entity } from "./wire.ts";
import type { World } from "./world.ts";

// https://core.telegram.org/bots/api#sendmessage and #sendphoto, UTF-16 units
export const MAX_TEXT = 4096;
export const MAX_CAPTION = 1024;

/** Drops mentions of unknown users. */
function known(world: World, { text, entities }: Marked): Marked {
  const kept = entities.flatMap((each): Entity[] => {
    if (each.type !== "text_mention") return [each];
    const id = each.user?.id ?? 0;
    if (id <= 0) throw new Malformed("User not found");
    return world.people.has(id) || world.bots.has(id) ? [{ ...each, user: userOf(world, id) }] : [];
  });
  return { text, entities: kept };
}

export function textContent(world: World, marked: Marked): { text: string; entities?: Entity[] } {
  const made = known(world, normalized(marked));
  if (made.text === "") throw new Malformed("Text must be non-empty");
  if (made.text.length > MAX_TEXT) throw badRequest("message is too long");
  return { text: made.text, ...(made.entities.length > 0 && { entities: made.entities }) };
}

export function captionContent(world: World, marked: Marked): { caption?: string; caption_entities?: Entity[] } {
  const made = known(world, normalized(marked));
  if (made.text === "") return {};
  if (made.text.length > MAX_CAPTION) throw badRequest("message caption is too long");
  return { caption: made.text, ...(made.entities.length > 0 && { caption_entities: made.entities }) };
}
