import { featuresOf } from "gangway-messenger/features";
import { defineChannel } from "gangway-messenger/port";
import { avitoApi } from "./api.ts";
import { askingChats, avatars } from "./chats.ts";
import { connecting } from "./connection.ts";
import { receiving } from "./door.ts";
import { explanations } from "./explanations.ts";
import { files } from "./files.ts";
import { renewing } from "./grants.ts";
import { listing } from "./list.ts";
import { lookingUp } from "./lookup.ts";
import { NOTES } from "./notes.ts";
import { sending } from "./sending.ts";
import { shown } from "./shown.ts";
import { AGENT_TEXT, IMAGE_BYTES, REQUEST_BYTES, serverSettings, settings, TEXT_LENGTH } from "./wire.ts";
import { about, tryOut, words } from "./words.ts";

/**
 * Chats of an Avito account (developers.avito.ru, "messenger"). The customer writes first; agents may answer at any
 * time.
 */
export default defineChannel({
  kind: "avito",
  title: "Avito",
  about,
  glyph: {
    color: "#00a2f2",
    path: "M8 4.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM17 6.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM7 14a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM15.5 12.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
  },
  hosts: ["api.avito.ru", "avito.ru", "*.avito.ru", "*.avito.st"],
  settings,
  words,
  tryOut: () => tryOut,
  explanations,
  serverSettings,
  features: () =>
    featuresOf(shown, {
      type: "avito",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: 10, maxSize: IMAGE_BYTES, maxNote: AGENT_TEXT },
      audio: { maxCount: 1, maxSize: IMAGE_BYTES },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    caption: 0,
    marks: false,
    image: { most: 1, size: IMAGE_BYTES },
    // The API accepts no other files: they are sent as links.
    file: { most: 0, size: 0 },
    audio: { most: 0, size: 0 },
    webPictures: false,
    suggestions: [],
    albumButtons: false,
  }),
  // No limit is published: calls are counted per minute, and a 429 is obeyed.
  pace: { perSecond: 10, filesPerSecond: 4, listsPerSecond: 2, perChat: () => ({ most: 3, everyMs: 1_000 }) },
  sendIdempotency: "lookup",
  bodyLimit: () => REQUEST_BYTES,
  notes: NOTES,
  listsPast: true,
  open: (context) => {
    const api = avitoApi(context);
    const ask = askingChats(context, api);
    return {
      ...connecting(context, api),
      ...sending(context, api),
      receive: receiving(context, api, ask),
      lookup: lookingUp(context, api),
      list: listing(context, api, ask),
      renew: renewing(context),
      files: files(context, api),
      avatars: avatars(context),
    };
  },
});
