import { featuresOf } from "gangway-messenger/features";
import { defineHosted } from "gangway-messenger/hosted";
import { standIn } from "./customer.ts";
import { PROOF, receiving } from "./inbound.ts";
import { sending } from "./outbound.ts";
import { shown } from "./shown.ts";
import { AGENT_TEXT, REQUEST_BYTES, settings, TEXT_LENGTH } from "./wire.ts";
import { about, adding, explanations, titles, words } from "./words.ts";

const NO_FILES = { most: 0, size: 0 };

/** A customer played by the account's users, to try a conversation without connecting anything. */
export default defineHosted({
  kind: "demo",
  title: titles.en,
  titles,
  adding,
  about,
  glyph: { color: "#7b8d92", path: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5 20c.6-3.4 3.4-5 7-5s6.4 1.6 7 5" },
  hosted: true,
  settings,
  words,
  explanations,
  features: () =>
    featuresOf(shown, {
      type: "custom",
      text: { maxLength: AGENT_TEXT },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    ...{ text: TEXT_LENGTH, caption: 0, marks: false },
    ...{ image: NO_FILES, file: NO_FILES, audio: NO_FILES, webPictures: false },
    ...{ suggestions: [], albumButtons: false },
  }),
  pace: { perSecond: 100, perChat: () => ({ most: 100, everyMs: 1000 }) },
  sendIdempotency: "native",
  bodyLimit: () => REQUEST_BYTES,
  proof: ({ customerKey }) => ({ [PROOF]: customerKey }),
  standIn,
  open: (context) => ({
    connect: async () => ({ name: context.name }),
    disconnect: async () => {},
    receive: receiving(context),
    ...sending(context),
  }),
});
