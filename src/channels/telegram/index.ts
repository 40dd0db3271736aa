import { eitherShown, featuresOf } from "../../domain/channel/channel.ts";
import { defineChannel } from "../port.ts";
import { botApi } from "./api.ts";
import { avatars } from "./avatars.ts";
import { connecting, isPolling } from "./connection.ts";
import { explanations } from "./explanations.ts";
import { polling } from "./feed.ts";
import { NOTES } from "./notes.ts";
import { receiving, SECRET_HEADER } from "./reading/inbound.ts";
import { isLink } from "./sending/keyboard.ts";
import { sending } from "./sending/outbound.ts";
import { REACTIONS } from "./sending/reactions.ts";
import { shown } from "./sending/shown.ts";
import { shown as shownInBusiness } from "./sending/shown-in-business.ts";
import { apiUrlOf, serverSettings } from "./server.ts";
import { CAPTION_LENGTH, FETCH_BYTES, MAX_FILES, PHOTO_BYTES, settings, TEXT_LENGTH } from "./wire.ts";
import { words } from "./words.ts";

/** Longest text of an agent, UTF-16 units; sent in pieces of TEXT_LENGTH. */
const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Largest update, bytes; a text with all its entities is well below. */
const UPDATE_BYTES = 1024 * 1024;
/** One message a second per chat, 20 a minute per group (core.telegram.org/bots/faq). */
const GROUP = { most: 20, everyMs: 60_000 };
const PRIVATE = { most: 1, everyMs: 1_000 };

/** A Telegram bot (core.telegram.org/bots/api). It cannot write first, and has no read receipts. */
export const telegram = defineChannel({
  kind: "telegram",
  title: "Telegram",
  settings,
  words,
  explanations,
  serverSettings,
  features: ({ businessOwners }) =>
    featuresOf(businessOwners.length > 0 ? eitherShown(shown, shownInBusiness) : shown, {
      type: "telegram",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: MAX_FILES, maxSize: PHOTO_BYTES, maxNote: TEXT_LENGTH },
      file: { maxCount: MAX_FILES, maxSize: FETCH_BYTES, maxNote: TEXT_LENGTH },
      audio: { maxCount: 1, maxSize: FETCH_BYTES },
      reactions: { dictionary: REACTIONS, maxCount: 1 },
      firstContact: "no",
      afterReplyTimeout: "no",
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
