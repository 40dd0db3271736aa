import { isDice, newAlbumId, pollOf, rolled } from "../drafts.ts";
import { captionContent, textContent } from "../entities.ts";
import { mediaContent, mediaOf } from "../media.ts";
import type { InputMedia } from "../parameters.ts";
import type { MediaKind } from "../phone-wire.ts";
import { badRequest } from "../refusal.ts";
import type { Content } from "../wire.ts";
import { place, typing } from "./placing.ts";
import type { BotRequest, Method } from "./request.ts";
import { checkMayWrite, targetOf } from "./targets.ts";
import { fileOf } from "./uploads.ts";

export function refuseParseMode(parseMode: string | undefined): void {
  if (parseMode !== undefined) throw badRequest("unsupported parse_mode");
}

async function one(request: BotRequest, what: string, make: () => Content | Promise<Content>): Promise<unknown> {
  return (await place(request, what, async () => [await make()]))[0];
}

const RIGHTS: Record<MediaKind, string> = {
  photo: "photos",
  video: "videos",
  animation: "animations",
  audio: "music",
  document: "documents",
  voice: "voice notes",
  video_note: "video notes",
  sticker: "stickers",
};

const media = (kind: MediaKind): Method => {
  return (request) =>
    one(request, RIGHTS[kind], async () => {
      const { args } = request;
      refuseParseMode(args.parse_mode);
      const file = await fileOf(request, args[kind], kind);
      return {
        ...mediaContent(request.world, kind, file, args),
        ...captionContent(args.caption, args.caption_entities),
        ...(args.has_spoiler && { has_media_spoiler: true as const }),
      };
    });
};

/** A part of an album, or what takes a message's place. */
export async function inputContent(request: BotRequest, input: InputMedia): Promise<Content> {
  if (input.type === "live_photo") throw badRequest("can't parse InputMedia: media type is not supported");
  refuseParseMode(input.parse_mode);
  const file = await fileOf(request, input.media, input.type);
  return {
    ...mediaContent(request.world, input.type, file, input),
    ...captionContent(input.caption, input.caption_entities),
    ...(input.has_spoiler && { has_media_spoiler: true as const }),
  };
}

function checkAlbum(parts: readonly InputMedia[]): void {
  if (parts.length < 2 || parts.length > 10)
    throw badRequest("wrong number of media in the album: from 2 to 10 expected");
  const kinds = new Set(parts.map(({ type }) => type));
  if (kinds.has("animation")) throw badRequest("media type can't be used in an album");
  for (const alone of ["document", "audio"] as const)
    if (kinds.has(alone) && kinds.size > 1) throw badRequest(`${alone} can't be mixed with other media types`);
}

const album: Method = (request) =>
  place(request, "photos", async () => {
    const parts = [request.args.media ?? []].flat();
    checkAlbum(parts);
    const group = newAlbumId(request.world);
    const contents: Content[] = [];
    for (const part of parts) contents.push({ ...(await inputContent(request, part)), media_group_id: group });
    return contents;
  });

function placeContent({ latitude, longitude, title, address, live_period }: BotRequest["args"]): Content {
  if (latitude === undefined || longitude === undefined || Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    throw badRequest("can't parse location");
  const location = { latitude, longitude, ...(live_period !== undefined && { live_period }) };
  if (title === undefined) return { location };
  return { location, venue: { location, title, address: address ?? "" } };
}

function contactContent({ phone_number, first_name, last_name }: BotRequest["args"]): Content {
  if (!phone_number || !first_name) throw badRequest(`${phone_number ? "first name" : "phone number"} is empty`);
  return { contact: { phone_number, first_name, ...(last_name && { last_name }) } };
}

function pollContent({ world, args }: BotRequest): Content {
  const options = (args.options ?? []).map((each) => (typeof each === "string" ? each : each.text));
  if (!args.question) throw badRequest("poll question must be non-empty");
  if (options.length < 2) throw badRequest("poll must have at least 2 option");
  if (options.length > 12) throw badRequest("poll can't have more than 12 options");
  return { poll: pollOf(world, args.question, options, args.is_anonymous ?? true) };
}

function diceContent({ world, args }: BotRequest): Content {
  const emoji = args.emoji ?? "🎲";
  if (!isDice(emoji)) throw badRequest("DICE_EMOJI_INVALID");
  return { dice: rolled(world, emoji) };
}

const ACTIONS = new Set(
  "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker find_location record_video_note upload_video_note".split(
    " ",
  ),
);

export const sendingMethods: Record<string, Method> = {
  sendMessage: (request) =>
    one(request, "text messages", () => {
      refuseParseMode(request.args.parse_mode);
      return textContent(request.args.text ?? "", request.args.entities);
    }),
  sendPhoto: media("photo"),
  sendDocument: media("document"),
  sendVideo: media("video"),
  sendAnimation: media("animation"),
  sendAudio: media("audio"),
  sendVoice: media("voice"),
  sendVideoNote: media("video_note"),
  sendSticker: media("sticker"),
  sendMediaGroup: album,
  sendLocation: (request) => one(request, "locations", () => placeContent({ ...request.args, title: undefined })),
  sendVenue: (request) => one(request, "locations", () => placeContent({ title: "", ...request.args })),
  sendContact: (request) => one(request, "contacts", () => contactContent(request.args)),
  sendDice: (request) => one(request, "dice", () => diceContent(request)),
  sendPoll: (request) => one(request, "polls", () => pollContent(request)),
  sendChatAction(request) {
    if (!ACTIONS.has(request.args.action ?? "")) throw badRequest("wrong parameter action in request");
    const target = targetOf(request);
    checkMayWrite(request.world, target, "text messages");
    typing(request, target.room);
    return true;
  },
};

export const hasMedia = (content: Content): boolean => mediaOf(content) !== undefined;
