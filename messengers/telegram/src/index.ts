import { eitherShown, featuresOf } from "gangway-messenger/features";
import { type ChannelSession, defineChannel } from "gangway-messenger/port";
import * as z from "zod";
import { type BotApi, botApi } from "./api.ts";
import { connecting, isPolling } from "./connection.ts";
import { explanations } from "./explanations.ts";
import { polling } from "./feed.ts";
import { goModule } from "./former.ts";
import { afterwards, business, tryOut } from "./owners.ts";
import { receiving, SECRET_HEADER } from "./reading/reading.ts";
import { isLink, sending } from "./sending/outbound.ts";
import { REACTIONS } from "./sending/reactions.ts";
import { shown } from "./sending/shown.ts";
import { shown as shownInBusiness } from "./sending/shown-in-business.ts";
import {
  apiUrlOf,
  CAPTION_LENGTH,
  FETCH_BYTES,
  isForBusiness,
  MAX_FILES,
  PHOTO_BYTES,
  serverSettings,
  settings,
  TEXT_LENGTH,
} from "./wire.ts";
import { about, words } from "./words.ts";

const photos = z.object({
  photos: z.array(z.array(z.object({ file_id: z.string(), file_unique_id: z.string(), width: z.number() }))),
});
/** Agents see it small: the smallest size that is at least this wide is used, pixels. */
const MIN_WIDTH = 160;

/** Profile photos, if the customer shows them to bots. */
export function avatars(api: BotApi): NonNullable<ChannelSession["avatars"]> {
  return {
    async find(customer, signal) {
      // A group that is one customer has a negative id, and no profile photos.
      if (!/^\d+$/.test(customer)) return undefined;
      const params = { user_id: Number(customer), limit: 1 };
      const found = await api.call(
        { method: "getUserProfilePhotos", params, result: photos, repeatable: true },
        signal,
      );
      const sizes = [...(found.photos[0] ?? [])].sort((a, b) => a.width - b.width);
      const size = sizes.find(({ width }) => width >= MIN_WIDTH) ?? sizes.at(-1);
      return size && { version: size.file_unique_id, ref: size.file_id };
    },
  };
}

/** Key prefixes of the notes that sessions write, by lifetime. */
const NOTES = {
  expires: [
    // Last known state of a message and of the parts of an album; edits are compared with it.
    "said:",
    "album:",
    // Whether a chat shows a keyboard, and a group member's last message.
    "keyboard:",
    "last:",
    // A person's last reaction to a message: its second, and its number within that second.
    "reacted:",
  ],
  stays: [
    // Offset of long polling.
    "cursor",
    // Groups that were migrated to supergroups: new id by old, old id by new.
    "moved:",
    "was:",
    // Customers who have blocked the bot.
    "blocked:",
    // Business accounts: a connection's owner, an owner's connection, and its trouble.
    "owner:",
    "connection:",
    "business:",
    // People who have said that they own one.
    "business-owners",
  ],
  // The supergroup's id for a chat that has the old group's id.
  ofCustomer: ["was:"],
};

/** Longest text of an agent, UTF-16 units; sent in pieces of TEXT_LENGTH. */
const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Largest update, bytes; a text with all its entities is well below. */
const UPDATE_BYTES = 1024 * 1024;
/** One message a second per chat, 20 a minute per group (core.telegram.org/bots/faq). */
const GROUP = { most: 20, everyMs: 60_000 };
const PRIVATE = { most: 1, everyMs: 1_000 };

const LIMITS = {
  type: "telegram",
  text: { maxLength: AGENT_TEXT },
  image: { maxCount: MAX_FILES, maxSize: PHOTO_BYTES, maxNote: TEXT_LENGTH },
  file: { maxCount: MAX_FILES, maxSize: FETCH_BYTES, maxNote: TEXT_LENGTH },
  audio: { maxCount: 1, maxSize: FETCH_BYTES },
  firstContact: "no",
  afterReplyTimeout: "no",
} as const;

/** A Telegram bot (core.telegram.org/bots/api). It cannot write first, and has no read receipts. */
export default defineChannel({
  kind: "telegram",
  hosts: ["api.telegram.org"],
  title: "Telegram",
  about,
  glyph: { color: "#26a5e4", path: "M21 3 3 10.5l6.5 2.5M21 3l-4 17-7.5-7M21 3 9.5 13v6l3.2-3.4" },
  variants: [{ ...business, features: featuresOf(shownInBusiness, LIMITS) }],
  afterwards,
  tryOut,
  settings,
  words,
  explanations,
  serverSettings,
  features: (own) =>
    featuresOf(isForBusiness(own) ? eitherShown(shown, shownInBusiness) : shown, {
      ...LIMITS,
      reactions: { dictionary: REACTIONS, maxCount: 1 },
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    caption: CAPTION_LENGTH,
    ownCaptions: true,
    marks: true,
    image: { most: MAX_FILES, size: PHOTO_BYTES },
    file: { most: MAX_FILES, size: FETCH_BYTES },
    audio: { most: 1, size: FETCH_BYTES },
    webPictures: true,
    suggestions: ["text", "phone", "email", "url"],
    exclusive: isLink,
    preventsEditing: (suggestion) => !isLink(suggestion),
    albumButtons: false,
  }),
  pace: { perSecond: 30, perChat: (chat) => (chat.startsWith("-") ? GROUP : PRIVATE) },
  sendIdempotency: "none",
  bodyLimit: () => UPDATE_BYTES,
  former: [goModule],
  notes: NOTES,
  proof: ({ webhookSecret }) => ({ [SECRET_HEADER]: webhookSecret }),
  open: (context) => {
    const { settings: own, call } = context;
    const api = botApi({ call, apiUrl: apiUrlOf(context), token: own.token });
    return {
      ...connecting(context, api),
      receive: receiving(context, api),
      ...sending(context, api),
      files: { open: (ref, signal) => api.openFile(ref, signal) },
      avatars: avatars(api),
      ...(isPolling(context) && { feed: polling(context, api) }),
    };
  },
});
