import { randomText } from "gangway-messenger/kit/emulator/random";
import { refusal } from "gangway-meta/emulator/graph-error";
import type { Network } from "gangway-meta/emulator/messaging/network";
import { profilePicture } from "gangway-meta/emulator/messaging/pictures";
import { words } from "gangway-meta/emulator/messaging/refusals";
import { type SendBody, sendShape } from "gangway-meta/emulator/messaging/send-shape";
import { nameOf } from "gangway-meta/emulator/messaging/world";

const MEGABYTE = 1024 * 1024;
const MAX_TEXT_BYTES = 1000;

const FIELDS = [
  "comments",
  "live_comments",
  "mentions",
  "message_edit",
  "message_reactions",
  "messages",
  "messaging_handover",
  "messaging_optins",
  "messaging_postbacks",
  "messaging_referral",
  "messaging_seen",
  "standby",
  "story_insights",
];
export const MESSAGE_RIGHT = "instagram_business_manage_messages";
export const BASIC_RIGHT = "instagram_business_basic";

/** Messages of Instagram by Instagram Login. */
export const network: Network = {
  title: "Instagram",
  object: "instagram",
  nodeType: "IGUser",
  events: {
    message: "messages",
    // Echoes have no field of their own.
    echo: "messages",
    edit: "message_edit",
    reaction: "message_reactions",
    postback: "messaging_postbacks",
    referral: "messaging_referral",
    read: "messaging_seen",
    handover: "messaging_handover",
  },
  knownFields: FIELDS,
  rights: { message: [MESSAGE_RIGHT], subscribe: [BASIC_RIGHT], humanAgent: "human_agent" },
  // Its limit is in bytes.
  shape: sendShape({ maxText: 100_000, isPage: false }),
  files: {
    image: { maxBytes: 8 * MEGABYTE, types: ["image/jpeg", "image/png", "image/gif"] },
    video: {
      maxBytes: 25 * MEGABYTE,
      types: ["video/mp4", "video/ogg", "audio/ogg", "video/x-msvideo", "video/quicktime", "video/webm"],
    },
    audio: { maxBytes: 25 * MEGABYTE, types: ["audio/aac", "audio/mp4", "audio/x-m4a", "audio/wav", "video/mp4"] },
    file: { maxBytes: 25 * MEGABYTE, types: ["application/pdf"] },
  },
  fault,
  windowClosed: () => words(10, 2534022),
  unknownRecipient: () => words(100, 2018001),
  newMid: (random) => `aWdfZAG1faXRlbToxOk${randomText(100, random)}ZD`,
  newScopedId: (random) => `${Math.floor(1e15 + random() * 8e14)}`,
  echo: () => ({}),
  readsName: "mid",
  accountView: ({ id, name, username }, { user }, platform) => ({
    id: user,
    user_id: id,
    username,
    name,
    account_type: "BUSINESS",
    profile_picture_url: profilePicture(platform, id, name),
    followers_count: 1204,
    follows_count: 12,
    media_count: 48,
  }),
  profileView: ({ scopedId, person }, platform) => ({
    id: scopedId,
    name: nameOf(person),
    username: person.username,
    profile_pic: profilePicture(platform, scopedId, nameOf(person)),
    follower_count: 87,
    is_user_follow_business: true,
    is_business_follow_user: false,
    is_verified_user: false,
  }),
};

function fault({ message }: SendBody) {
  if (message?.attachments) return refusal(100, 'Invalid keys "attachments" were found in param "message".');
  if (Buffer.byteLength(message?.text ?? "") <= MAX_TEXT_BYTES) return undefined;
  return refusal(100, `Length of param message[text] must be less than or equal to ${MAX_TEXT_BYTES}`);
}
