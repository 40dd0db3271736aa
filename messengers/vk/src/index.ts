import { featuresOf } from "gangway-messenger/features";
import { defineChannel } from "gangway-messenger/port";
import { connecting } from "./connection.ts";
import { explanations } from "./explanations.ts";
import { polling } from "./feed.ts";
import { listing } from "./listing.ts";
import { loginTo } from "./login.ts";
import { openFile } from "./media.ts";
import { NOTES } from "./notes.ts";
import { avatars } from "./people.ts";
import { DICTIONARY } from "./reactions.ts";
import { receiving } from "./receiving.ts";
import { asLines } from "./sending/keyboard.ts";
import { sending } from "./sending/sending.ts";
import { shown } from "./shown.ts";
import { standing } from "./standing.ts";
import {
  DOC_BYTES,
  isPolling,
  MAX_FILES,
  PHOTO_BYTES,
  REQUEST_BYTES,
  type Server,
  type Settings,
  serverSettings,
  settings,
  TEXT_LENGTH,
} from "./wire.ts";
import { about, words } from "./words.ts";

/** Longest text of an agent, characters; sent in pieces of TEXT_LENGTH. */
const AGENT_TEXT = 4 * TEXT_LENGTH;
const SECOND_MS = 1_000;

/** The chats of a VK community (dev.vk.com/api/community-messages). It answers customers who have written or allowed it. */
export default defineChannel<Settings, Server>({
  kind: "vk",
  title: "VK",
  about,
  glyph: { color: "#0077ff", path: "M3 7c.3 6 3.4 10 8.6 10h.4V7M12 12c2.4-.3 4.5-2.3 5.4-5M12 12c2.8.3 5 2.2 6.5 5" },
  hosts: ["vk.com", "vk.ru", "*.vk.com", "*.vk.ru", "*.userapi.com", "*.vkuser.net", "*.vkuserphoto.ru"],
  settings,
  words,
  explanations,
  serverSettings,
  features: () =>
    featuresOf(shown, {
      type: "vk",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: MAX_FILES, maxSize: PHOTO_BYTES, maxNote: TEXT_LENGTH },
      file: { maxCount: MAX_FILES, maxSize: DOC_BYTES, maxNote: TEXT_LENGTH },
      audio: { maxCount: 1, maxSize: DOC_BYTES },
      reactions: { dictionary: DICTIONARY, maxCount: 1 },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    caption: TEXT_LENGTH,
    marks: false,
    image: { most: MAX_FILES, size: PHOTO_BYTES },
    file: { most: MAX_FILES, size: DOC_BYTES },
    // A voice message has no words.
    audio: { most: 1, size: DOC_BYTES, caption: 0 },
    webPictures: true,
    suggestions: ["text", "url"],
    asLines,
    albumButtons: true,
  }),
  // Twenty calls a second with one key (dev.vk.com/api/api-requests): a step with files and a page of the list take several.
  pace: { perSecond: 12, filesPerSecond: 1, listsPerSecond: 1, perChat: () => ({ most: 4, everyMs: SECOND_MS }) },
  sendIdempotency: "lookup",
  listsPast: true,
  bodyLimit: () => REQUEST_BYTES,
  retryAfter: "date",
  notes: NOTES,
  open: (context) => {
    const login = loginTo(context);
    return {
      ...connecting(login),
      receive: receiving(login),
      ...sending(login),
      ...standing(login),
      list: listing(login),
      files: { open: (ref, signal) => openFile(context, ref, signal) },
      avatars: avatars(login.api),
      ...(isPolling(context) && { feed: polling(login) }),
    };
  },
});
