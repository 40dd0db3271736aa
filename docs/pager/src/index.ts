import { featuresOf } from "gangway-messenger/features";
import { defineChannel } from "gangway-messenger/port";
import { pagerApi } from "./api.ts";
import { connecting } from "./connection.ts";
import { PROOF, receiving } from "./inbound.ts";
import { sending } from "./outbound.ts";
import { shown } from "./shown.ts";
import { AGENT_TEXT, MEMORY_MS, REQUEST_BYTES, settings, TEXT_LENGTH } from "./wire.ts";
import { words } from "./words.ts";

/** Pagers of an exchange that the shop runs itself. A page has at most 240 characters, and no files. */
export default defineChannel({
  kind: "pager",
  title: "Pager",
  settings,
  words,
  features: () =>
    featuresOf(shown, {
      type: "custom",
      text: { maxLength: AGENT_TEXT },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: () => ({
    language: "en",
    text: TEXT_LENGTH,
    caption: 0,
    marks: false,
    image: { most: 0, size: 0 },
    file: { most: 0, size: 0 },
    audio: { most: 0, size: 0 },
    webPictures: false,
    suggestions: [],
    albumButtons: false,
  }),
  pace: { perSecond: 10, perChat: () => ({ most: 1, everyMs: 1_000 }) },
  sendIdempotency: "native",
  idempotencyMs: MEMORY_MS,
  bodyLimit: () => REQUEST_BYTES,
  proof: ({ webhookSecret }) => ({ [PROOF]: webhookSecret }),
  open(context) {
    const api = pagerApi(context);
    return { ...connecting(context, api), receive: receiving(context), ...sending(api) };
  },
});
