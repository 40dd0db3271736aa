import { isDice, rolled } from "../drafts.ts";
import { textContent } from "../entities.ts";
import type { Marked } from "../formatting/marked.ts";
import { readText } from "../formatting/reading.ts";
import { badRequest, Malformed } from "../refusal.ts";
import type { Content, Location } from "../wire.ts";
import { mediaMethods } from "./media.ts";
import { pollMethods } from "./polls.ts";
import { postOne, typing } from "./posting.ts";
import type { BotRequest, Method } from "./request.ts";
import { checkMayWrite, targetOf } from "./targets.ts";

export function textOf({ args, raw }: BotRequest): Marked {
  if (!args.text) throw badRequest("message text is empty");
  return readText({ text: args.text, mode: args.parse_mode, entities: raw.get("entities") });
}

const sendMessage: Method = (request) => {
  const text = textOf(request);
  return postOne(request, "text messages", () => textContent(request.world, text));
};

export function locationOf(args: BotRequest["args"]): Location {
  const { latitude, longitude, live_period, horizontal_accuracy, heading, proximity_alert_radius } = args;
  if (latitude === undefined) throw badRequest("latitude is empty");
  if (longitude === undefined) throw badRequest("longitude is empty");
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) throw new Malformed("Wrong location specified");
  return {
    latitude,
    longitude,
    ...(horizontal_accuracy && { horizontal_accuracy }),
    ...(live_period && { live_period }),
    ...(live_period && heading && { heading }),
    ...(live_period && proximity_alert_radius && { proximity_alert_radius }),
  };
}

const sendLocation: Method = (request) => {
  const location = locationOf(request.args);
  return postOne(request, "locations", () => ({ location }));
};

const sendVenue: Method = (request) => {
  const { title, address, foursquare_id, foursquare_type, google_place_id, google_place_type } = request.args;
  const location = locationOf({ ...request.args, live_period: undefined });
  const provided = google_place_id
    ? { google_place_id, ...(google_place_type && { google_place_type }) }
    : { ...(foursquare_id && { foursquare_id }), ...(foursquare_type && { foursquare_type }) };
  return postOne(request, "locations", () => {
    if (!title) throw badRequest("VENUE_TITLE_EMPTY");
    // "For backward compatibility, when this field is set, the location field will also be set"
    return { location, venue: { location, title, address: address ?? "", ...provided } };
  });
};

function required(args: BotRequest["args"], name: "phone_number" | "first_name"): string {
  const value = args[name];
  if (!value) throw new Malformed(`Parameter "${name}" is required`);
  return value;
}

const sendContact: Method = (request) => {
  const { args } = request;
  const contact: NonNullable<Content["contact"]> = {
    phone_number: required(args, "phone_number"),
    first_name: required(args, "first_name"),
    ...(args.last_name && { last_name: args.last_name }),
    ...(args.vcard && { vcard: args.vcard }),
  };
  return postOne(request, "contacts", () => ({ contact }));
};

const sendDice: Method = (request) =>
  postOne(request, "dice", () => {
    const emoji = request.args.emoji || "🎲";
    if (!isDice(emoji)) throw badRequest("DICE_EMOJI_INVALID");
    return { dice: rolled(request.world, emoji) };
  });

const ACTIONS = new Set(
  "cancel typing upload_photo record_video upload_video record_voice record_audio upload_voice upload_audio upload_document choose_sticker find_location pick_up_location record_video_note upload_video_note".split(
    " ",
  ),
);

const sendChatAction: Method = (request) => {
  if (!ACTIONS.has((request.args.action ?? "").toLowerCase())) throw new Malformed("Wrong parameter action in request");
  const target = targetOf(request);
  checkMayWrite(request.world, target, "text messages");
  typing(request, target.room);
  return true;
};

export const sendingMethods: Record<string, Method> = {
  sendMessage,
  ...mediaMethods,
  ...pollMethods,
  sendLocation,
  sendVenue,
  sendContact,
  sendDice,
  sendChatAction,
};
