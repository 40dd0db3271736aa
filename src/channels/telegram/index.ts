import { eitherShown, featuresOf } from "../../domain/channel.ts";
import { defineChannel } from "../port.ts";
import { botApi } from "./api.ts";
import { avatars } from "./avatars.ts";
import { connecting, isPolling } from "./connection.ts";
import { polling } from "./feed.ts";
import { PROOF, receiving } from "./inbound.ts";
import { isLink } from "./keyboard.ts";
import { NOTES } from "./notes.ts";
import { sending } from "./outbound.ts";
import { REACTIONS } from "./reactions.ts";
import { apiUrlOf, serverSettings } from "./server.ts";
import { shown } from "./shown.ts";
import { shown as shownInBusiness } from "./shown-in-business.ts";
import { CAPTION_LENGTH, FETCH_BYTES, MOST_FILES, PHOTO_BYTES, settings, TEXT_LENGTH } from "./wire.ts";
import { words } from "./words.ts";

/** Longer texts and notes go in pieces; an agent may write this much (UTF-16 units). */
const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Largest update: a text with all its entities is well below. */
const UPDATE_BYTES = 1024 * 1024;
const GROUP = { most: 20, everyMs: 60_000 };
const PRIVATE = { most: 1, everyMs: 1_000 };

/** A bot of Telegram (core.telegram.org/bots/api). It cannot write first, and knows no receipts. */
export const telegram = defineChannel({
  kind: "telegram",
  title: "Telegram",
  settings,
  words,
  serverSettings,
  features: ({ businessOwners }) =>
    featuresOf(businessOwners.length > 0 ? eitherShown(shown, shownInBusiness) : shown, {
      type: "telegram",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: MOST_FILES, maxSize: PHOTO_BYTES, maxNote: TEXT_LENGTH },
      file: { maxCount: MOST_FILES, maxSize: FETCH_BYTES, maxNote: TEXT_LENGTH },
      audio: { maxCount: 1, maxSize: FETCH_BYTES },
      reactions: { dictionary: REACTIONS, maxCount: 1 },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    caption: CAPTION_LENGTH,
    marks: true,
    image: { most: MOST_FILES, size: PHOTO_BYTES },
    file: { most: MOST_FILES, size: FETCH_BYTES },
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
  notes: NOTES,
  proof: ({ webhookSecret }) => ({ [PROOF]: webhookSecret }),
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
