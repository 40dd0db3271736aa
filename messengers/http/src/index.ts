import { featuresOf } from "gangway-messenger/features";
import { defineHosted } from "gangway-messenger/hosted";
import { commands } from "./commands.ts";
import { connecting } from "./connection.ts";
import { openApi } from "./openapi.ts";
import { PICTURES } from "./reading.ts";
import { receiving } from "./receiving.ts";
import { sending } from "./sending.ts";
import { shown } from "./shown.ts";
import { ID, keptProof } from "./signature.ts";
import { AGENT_TEXT, FILE_BYTES, JSON_BYTES, MAX_FILES, secretsOf, settings, TEXT_LENGTH } from "./wire.ts";
import { about, adding, afterwards, explanations, titles, words } from "./words.ts";

/** Emoji that agents may react with; customers' may be any. */
const REACTIONS = ["👍", "👎", "❤️", "🔥", "👏", "😁", "🤔", "😢", "🎉", "🙏", "👌", "💯"];
const FILES = { most: MAX_FILES, size: FILE_BYTES };

/** Any app, bot platform or messenger, by signed webhooks (standardwebhooks.com). Its events are also kept in a log. */
export default defineHosted({
  kind: "http",
  title: titles.en,
  titles,
  adding,
  about,
  glyph: { color: "#3d4f5c", path: "m8 6-6 6 6 6M16 6l6 6-6 6M14 4l-4 16" },
  hosted: true,
  settings,
  words,
  afterwards,
  explanations,
  features: () =>
    featuresOf(shown, {
      type: "custom",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: MAX_FILES, maxSize: FILE_BYTES, maxNote: TEXT_LENGTH },
      file: { maxCount: MAX_FILES, maxSize: FILE_BYTES, maxNote: TEXT_LENGTH },
      audio: { maxCount: MAX_FILES, maxSize: FILE_BYTES },
      reactions: { dictionary: REACTIONS, maxCount: 1 },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    caption: TEXT_LENGTH,
    marks: true,
    // An app may drop formatting, but not a URL.
    formats: ["bold", "italic", "underline", "strikethrough", "code", "pre"],
    ...{ image: FILES, file: FILES, audio: FILES },
    webPictures: true,
    items: true,
    suggestions: ["text", "phone", "email", "url"],
    albumButtons: true,
  }),
  pace: { perSecond: 100, perChat: () => ({ most: 100, everyMs: 1000 }) },
  sendIdempotency: "native",
  bodyLimit: (path) => (path.startsWith("uploads/") ? FILE_BYTES + 1 : JSON_BYTES),
  keptHeaders: [ID],
  proof: (own, body) => keptProof(secretsOf(own), body),
  assets: {
    "openapi.json": { text: () => JSON.stringify(openApi()), mediaType: "application/json; charset=utf-8" },
  },
  notes: { expires: [PICTURES], stays: [] },
  commands,
  open: (context) => ({
    ...connecting(context),
    ...sending(context),
    receive: receiving(context),
  }),
});
