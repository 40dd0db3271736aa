import { defineAppChannel } from "gangway-messenger/apps";
import { featuresOf } from "gangway-messenger/features";
import { LOOKUP_MS } from "gangway-meta/doubt";
import { tellingOfOtherSecret } from "gangway-meta/other-secret";
import { HOSTS } from "gangway-meta/server";
import { cloudApi } from "./api.ts";
import { connecting } from "./connecting/connection.ts";
import { standing } from "./connecting/standing.ts";
import { app } from "./connecting/vendor.ts";
import { explanations } from "./explanations.ts";
import { NOTES } from "./notes.ts";
import { BODY_BYTES, proofOf, receiving } from "./reading/inbound.ts";
import { FORMATS } from "./sending/formatting.ts";
import { asLines, isLink } from "./sending/interactive.ts";
import { sending } from "./sending/outbound.ts";
import { REACTIONS } from "./sending/reactions.ts";
import { shown } from "./sending/shown.ts";
import { type Server, serverSettings } from "./server.ts";
import { templates } from "./templates/templates.ts";
import { AUDIO_BYTES, CAPTION_LENGTH, FILE_BYTES, IMAGE_BYTES, type Settings, settings, TEXT_LENGTH } from "./wire.ts";
import { about, words } from "./words.ts";

/** Longest text of an agent, characters; sent in pieces of TEXT_LENGTH. */
const AGENT_TEXT = 4 * TEXT_LENGTH;
/** 80 messages a second per number, and one per 6 s to one customer: bursts borrow from the time to come (Cloud API, Throughput). */
const PACE = { perSecond: 80, perChat: () => ({ most: 10, everyMs: 60_000 }) };

/** A number of the WhatsApp Cloud API (developers.facebook.com/docs/whatsapp/cloud-api), at Meta or at 360dialog. */
export default defineAppChannel<Settings, Server>({
  kind: "whatsapp",
  hosts: [...HOSTS, "waba-v2.360dialog.io"],
  title: "WhatsApp",
  about,
  glyph: {
    color: "#25d366",
    path: "m3.5 20.5 1.2-4A8.5 8.5 0 1 1 8 19.6zM9 8.5c0 4 2.8 6.5 6 6.7l1-1.9-2-1.2-1.2.8c-1-.4-1.8-1.3-2.1-2.1l.8-1.2-.9-2.1z",
  },
  settings,
  words,
  explanations,
  serverSettings,
  features: () =>
    featuresOf(shown, {
      type: "whatsapp",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: 1, maxSize: IMAGE_BYTES, maxNote: TEXT_LENGTH },
      file: { maxCount: 1, maxSize: FILE_BYTES, maxNote: TEXT_LENGTH },
      audio: { maxCount: 1, maxSize: AUDIO_BYTES },
      reactions: { dictionary: REACTIONS, maxCount: 1 },
      firstContact: "template",
      afterReplyTimeout: "template",
      templates: { creation: true },
      customerId: "phone",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    caption: CAPTION_LENGTH,
    marks: true,
    formats: FORMATS,
    image: { most: 1, size: IMAGE_BYTES },
    file: { most: 1, size: FILE_BYTES },
    audio: { most: 1, size: AUDIO_BYTES, caption: 0 },
    webPictures: true,
    suggestions: ["text", "phone", "url"],
    exclusive: isLink,
    asLines,
    albumButtons: false,
  }),
  pace: PACE,
  sendIdempotency: "lookup",
  idempotencyMs: LOOKUP_MS,
  bodyLimit: () => BODY_BYTES,
  notes: NOTES,
  proof: proofOf,
  app,
  open: (context) => {
    const api = cloudApi(context);
    return {
      ...tellingOfOtherSecret({ ...connecting(context, api), receive: receiving(context) }),
      ...sending(context, api),
      ...standing(context, api),
      files: { open: (ref, signal) => api.openFile(ref, signal) },
      templates: templates(context, api),
    };
  },
});
