import { defineAppChannel } from "gangway-messenger/apps";
import { featuresOf } from "gangway-messenger/features";
import { BODY_BYTES } from "gangway-meta/door";
import { LOOKUP_MS } from "gangway-meta/doubt";
import { CHECKED } from "gangway-meta/inspecting";
import { openMedia } from "gangway-meta/media";
import { asLines, isLink } from "gangway-meta/messaging/buttons";
import { CARD } from "gangway-meta/messaging/cards";
import { listing } from "gangway-meta/messaging/listing";
import { PACE } from "gangway-meta/messaging/network";
import { MESSAGING_NOTES } from "gangway-meta/messaging/notes";
import { avatars } from "gangway-meta/messaging/people";
import { receiving } from "gangway-meta/messaging/receiving";
import { tellingOfOtherSecret } from "gangway-meta/other-secret";
import { HOSTS } from "gangway-meta/server";
import { SIGNATURE_HEADER, signatureOf } from "gangway-meta/signature";
import { graphOptions } from "./api.ts";
import { connecting } from "./connection.ts";
import { explanations } from "./explanations.ts";
import { loginTo } from "./network.ts";
import { sendingTo } from "./outbound.ts";
import { REACTIONS } from "./reactions.ts";
import { type Server, secretOf, serverSettings } from "./server.ts";
import { shown } from "./shown.ts";
import { standing } from "./standing.ts";
import { app } from "./vendor.ts";
import { FILE_BYTES, type Settings, settings, TEXT_LENGTH } from "./wire.ts";
import { about, words } from "./words.ts";

/** Longest text of an agent, characters; sent in pieces of TEXT_LENGTH. */
const AGENT_TEXT = 4 * TEXT_LENGTH;

/** A page on Facebook Messenger (developers.facebook.com/docs/messenger-platform). It answers customers who have written. */
export default defineAppChannel<Settings, Server>({
  kind: "facebook",
  hosts: HOSTS,
  title: "Facebook Messenger",
  about,
  glyph: {
    color: "#0866ff",
    path: "M12 3.5c-5 0-9 3.6-9 8.3 0 2.6 1.2 4.8 3.2 6.3v3l3-1.6c.9.2 1.8.4 2.8.4 5 0 9-3.6 9-8.1s-4-8.3-9-8.3zM7 13.8l3.5-3.6 3 2.4 3.5-3.4",
  },
  settings,
  words,
  explanations,
  serverSettings,
  features: () =>
    featuresOf(shown, {
      type: "fbmessenger",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: 1, maxSize: FILE_BYTES, maxNote: TEXT_LENGTH },
      file: { maxCount: 1, maxSize: FILE_BYTES, maxNote: TEXT_LENGTH },
      audio: { maxCount: 1, maxSize: FILE_BYTES },
      reactions: { dictionary: REACTIONS, maxCount: 1 },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    caption: 0,
    marks: false,
    image: { most: 1, size: FILE_BYTES },
    file: { most: 1, size: FILE_BYTES },
    audio: { most: 1, size: FILE_BYTES },
    webPictures: true,
    cards: CARD,
    suggestions: ["text", "phone", "email", "url"],
    exclusive: isLink,
    asLines,
    albumButtons: false,
  }),
  pace: PACE,
  sendIdempotency: "lookup",
  idempotencyMs: LOOKUP_MS,
  bodyLimit: () => BODY_BYTES,
  notes: { ...MESSAGING_NOTES, stays: [...MESSAGING_NOTES.stays, CHECKED] },
  proof: (own, body, server) => ({ [SIGNATURE_HEADER]: signatureOf(secretOf(own, server), body) }),
  app,
  listsPast: true,
  open: (context) => {
    const login = loginTo(context);
    const { settings: own, server } = context;
    const door = { secret: secretOf(own, server), verifyToken: own.verifyToken };
    const media = { ...graphOptions(context), maxBytes: FILE_BYTES, headers: undefined };
    return {
      ...tellingOfOtherSecret({
        ...connecting(context, login.graph),
        receive: receiving(login, door),
      }),
      ...sendingTo(context),
      ...standing(context, login.graph),
      list: listing(login),
      files: { open: (ref, signal) => openMedia(media, ref, {}, signal) },
      avatars: avatars(login),
    };
  },
});
