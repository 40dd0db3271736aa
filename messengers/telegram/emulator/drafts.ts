import { randomText } from "gangway-messenger/kit/emulator/random";
import { captionContent, MAX_CAPTION, MAX_TEXT, textContent } from "./entities.ts";
import type { Marked } from "./formatting/marked.ts";
import { giftContent, uniqueGiftContent } from "./gifts.ts";
import { mediaContent } from "./media.ts";
import type { DraftMedium, Mark, PhoneDraft } from "./phone-wire.ts";
import { PhoneRefusal } from "./refusal.ts";
import type { Content, Poll } from "./wire.ts";
import type { StoredPerson, World } from "./world.ts";

/** One message, or one per album part. */
export function draftContents(world: World, person: StoredPerson, draft: PhoneDraft): Content[] {
  if (draft.start !== undefined) return [textOf(world, draft.start ? `/start ${draft.start}` : "/start", [])];
  if (draft.media?.length) return mediaContents(world, draft);
  if (draft.contact) return [{ contact: contactOf(person, draft.contact) }];
  if (draft.place) return [locationOf(draft.place)];
  if (draft.poll) return [{ poll: pollOf(world, plain(draft.poll.question), draft.poll.options.map(plain)) }];
  if (draft.dice) return [{ dice: rolled(world, draft.dice) }];
  if (draft.rich) return [{ rich_message: { blocks: draft.rich } }];
  if (draft.gift) return [giftContent(world, draft.gift)];
  if (draft.uniqueGift) return [uniqueGiftContent(world, draft.uniqueGift)];
  return [textOf(world, draft.text ?? "", draft.marks ?? [])];
}

const plain = (text: string): Marked => ({ text, entities: [] });

function textOf(world: World, text: string, entities: Mark[]): Content {
  if (text.trim() === "") throw new PhoneRefusal(400, "There is nothing to send");
  if (text.length > MAX_TEXT) throw new PhoneRefusal(400, `A message has at most ${MAX_TEXT} characters`);
  return textContent(world, { text, entities });
}

function mediaContents(world: World, { media = [], text, marks = [] }: PhoneDraft): Content[] {
  if (media.length > 10) throw new PhoneRefusal(400, "An album has at most 10 parts");
  const group = media.length > 1 && { media_group_id: newAlbumId(world) };
  return media.map((medium, index) => {
    const caption = index === 0 ? { text: text ?? "", entities: marks } : plain(medium.caption ?? "");
    if (caption.text.length > MAX_CAPTION)
      throw new PhoneRefusal(400, `A caption has at most ${MAX_CAPTION} characters`);
    const withText = !["sticker", "video_note"].includes(medium.kind);
    return { ...mediumContent(world, medium), ...group, ...(withText && captionContent(world, caption)) };
  });
}

/** A file sent by a phone. */
export function mediumContent(world: World, { kind, file: key, caption: _, ...details }: DraftMedium): Content {
  const file = world.files.get(key);
  if (!file) throw new PhoneRefusal(400, `There is no file ${key}`);
  if (kind === "sticker" && details.animated) file.mediaType = "application/x-tgsticker";
  return mediaContent(world, kind, file, details);
}

export const newAlbumId = (world: World): string => String(13_000_000_000_000_000 + Math.floor(world.random() * 1e15));

const digits = (phone: string): string => phone.replace(/\D/g, "");

function contactOf(person: StoredPerson, { phone, firstName, lastName }: NonNullable<PhoneDraft["contact"]>) {
  return {
    phone_number: digits(phone),
    first_name: firstName,
    ...(lastName && { last_name: lastName }),
    ...(person.phone && digits(person.phone) === digits(phone) && { user_id: person.id }),
  };
}

function locationOf({ latitude, longitude, title, address }: NonNullable<PhoneDraft["place"]>): Content {
  const location = { latitude, longitude };
  // "For backward compatibility, when this field is set, the location field will also be set"
  return title ? { location, venue: { location, title, address: address ?? "" } } : { location };
}

export const pollOf = (world: World, question: Marked, options: readonly Marked[], isAnonymous = true): Poll => ({
  id: String(5_000_000_000_000_000 + Math.floor(world.random() * 1e15)),
  question: question.text,
  ...(question.entities.length > 0 && { question_entities: question.entities }),
  options: options.map(({ text, entities }) => ({
    persistent_id: randomText(8, world.random),
    text,
    ...(entities.length > 0 && { text_entities: entities }),
    voter_count: 0,
  })),
  total_voter_count: 0,
  is_closed: false,
  is_anonymous: isAnonymous,
  type: "regular",
  allows_multiple_answers: false,
  allows_revoting: true,
  members_only: false,
});

const SIDES: Record<string, number> = { "🎲": 6, "🎯": 6, "🎳": 6, "🏀": 5, "⚽": 5, "🎰": 64 };
export const isDice = (emoji: string): boolean => emoji in SIDES;
export const rolled = (world: World, emoji: string): { emoji: string; value: number } => ({
  emoji,
  value: 1 + Math.floor(world.random() * (SIDES[emoji] ?? 6)),
});
