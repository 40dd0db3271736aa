import { featuresOf } from "gangway-messenger/features";
import { defineChannel } from "gangway-messenger/port";
import { acmeApi } from "./api.ts";
import { connecting } from "./connection.ts";
import { PROOF, receiving } from "./inbound.ts";
import { sending } from "./outbound.ts";
import { shown } from "./shown.ts";
import { AGENT_TEXT, REQUEST_BYTES, settings, TEXT_LENGTH } from "./wire.ts";
import { words } from "./words.ts";

/** Acme (write me: where its documentation is, and its peculiarities). */
export default defineChannel({
  kind: "acme",
  title: "Acme",
  settings,
  words,
  features: () =>
    featuresOf(shown, {
      type: "custom",
      text: { maxLength: AGENT_TEXT },
      // (write me: whether an agent may write first, and how long one may answer)
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  // (write me: what one call of the network accepts; whatever is 0 or false here is sent as text)
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
  // (write me: the network's own limits, and what it does with a repeated message)
  pace: { perSecond: 10, perChat: () => ({ most: 1, everyMs: 1_000 }) },
  sendIdempotency: "none",
  bodyLimit: () => REQUEST_BYTES,
  proof: ({ webhookSecret }) => ({ [PROOF]: webhookSecret }),
  open(context) {
    const api = acmeApi(context);
    return { ...connecting(context, api), receive: receiving(context), ...sending(api) };
  },
});
