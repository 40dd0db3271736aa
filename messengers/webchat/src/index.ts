import { featuresOf } from "gangway-messenger/features";
import { defineHosted } from "gangway-messenger/hosted";
import { words } from "./field-words.ts";
import { receiving } from "./inbound.ts";
import { ENDED, ENDED_DAYS } from "./opening.ts";
import { sending } from "./outbound.ts";
import { shown } from "./shown.ts";
import { siteVisit, VISIT, VISIT_DAYS } from "./site-visit.ts";
import { SITES, sitesIn } from "./sites.ts";
import { FILE_BYTES, IMAGE_BYTES, JSON_BYTES, MAX_FILES, type Settings, settings, TEXT_LENGTH } from "./wire.ts";
import { about, adding, explanations, identityWords, snippetWords, titles } from "./words.ts";

/** Longest text of an agent; sent in pieces of TEXT_LENGTH. */
const AGENT_TEXT = 4 * TEXT_LENGTH;

const SCRIPT = "text/javascript; charset=utf-8";

/** A chat widget on the shop's site. A message counts as sent once it is in the journal. */
export default defineHosted({
  kind: "webchat",
  title: titles.en,
  titles,
  adding,
  about,
  glyph: { color: "#0f5f6b", path: "M4 5h16v11h-8l-4 4v-4H4zM8 9h8M8 12h5" },
  hosted: true,
  settings,
  words,
  explanations,
  features: () =>
    featuresOf(shown, {
      type: "consultant",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: MAX_FILES, maxSize: IMAGE_BYTES, maxNote: TEXT_LENGTH },
      file: { maxCount: MAX_FILES, maxSize: FILE_BYTES, maxNote: TEXT_LENGTH },
      audio: { maxCount: MAX_FILES, maxSize: FILE_BYTES },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    caption: TEXT_LENGTH,
    marks: false,
    image: { most: MAX_FILES, size: FILE_BYTES },
    file: { most: MAX_FILES, size: FILE_BYTES },
    audio: { most: MAX_FILES, size: FILE_BYTES },
    webPictures: false,
    items: true,
    suggestions: ["text", "phone", "email", "url"],
    albumButtons: true,
  }),
  pace: { perSecond: 1000, perChat: () => ({ most: 1000, everyMs: 1000 }) },
  sendIdempotency: "native",
  bodyLimit: (path) => (path === "files" ? FILE_BYTES + 1 : JSON_BYTES),
  keptHeaders: ["authorization"],
  assets: {
    // Literal names: the server is bundled, and these files are beside it.
    "widget.js": { file: new URL("./widget.js", import.meta.url), mediaType: SCRIPT },
    "chat.js": { file: new URL("./chat.js", import.meta.url), mediaType: SCRIPT },
    "design.js": { file: new URL("./design.js", import.meta.url), mediaType: SCRIPT },
  },
  snippet: {
    html: (publicUrl, door) =>
      `<script src="${publicUrl}/channels/webchat/widget.js" data-channel="${door}" async></script>`,
    design: (publicUrl, door, form) =>
      `<script src="${publicUrl}/channels/webchat/design.js" data-channel="${door}" data-form="${form}" async></script>`,
    words: snippetWords,
  },
  afterwards: (settings) => identityWords(settings as Settings),
  notes: {
    expires: [],
    stays: [SITES],
    lasts: [
      { prefix: VISIT, days: VISIT_DAYS },
      { prefix: ENDED, days: ENDED_DAYS },
    ],
  },
  seen: { note: SITES, read: sitesIn },
  siteVisits: true,
  open: (context) => ({
    connect: async () => ({ name: context.name }),
    disconnect: async () => {},
    receive: receiving(context),
    siteVisit: siteVisit(context),
    ...sending(context),
  }),
});
