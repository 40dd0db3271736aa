import { defineAppChannel } from "gangway-messenger/apps";
import { featuresOf } from "gangway-messenger/features";
import { BODY_BYTES } from "gangway-meta/door";
import { LOOKUP_MS } from "gangway-meta/doubt";
import { openMedia } from "gangway-meta/media";
import { asLines, isLink } from "gangway-meta/messaging/buttons";
import { CARD } from "gangway-meta/messaging/cards";
import { listing } from "gangway-meta/messaging/listing";
import { PACE } from "gangway-meta/messaging/network";
import { avatars } from "gangway-meta/messaging/people";
import { receiving } from "gangway-meta/messaging/receiving";
import { tellingOfOtherSecret } from "gangway-meta/other-secret";
import { HOSTS } from "gangway-meta/server";
import { SIGNATURE_HEADER, signatureOf } from "gangway-meta/signature";
import { afterwards } from "./afterwards.ts";
import { graphOptions } from "./api.ts";
import { readComments } from "./comments.ts";
import { connecting } from "./connection.ts";
import { explanations } from "./explanations.ts";
import { loginTo } from "./network.ts";
import { NOTES } from "./notes.ts";
import { sendingTo } from "./outbound.ts";
import { type Server, secretOf, serverSettings } from "./server.ts";
import { shown } from "./shown.ts";
import { standing } from "./standing.ts";
import { renewing } from "./token.ts";
import { app } from "./vendor.ts";
import { FILE_BYTES, IMAGE_BYTES, type Settings, settings, TEXT_BYTES } from "./wire.ts";
import { about, words } from "./words.ts";

/** Longest text of an agent, characters; sent in pieces of TEXT_BYTES. */
const AGENT_TEXT = 4 * TEXT_BYTES;

/** A professional account of Instagram, by Instagram Login (developers.facebook.com/docs/instagram-platform). */
export default defineAppChannel<Settings, Server>({
  kind: "instagram",
  hosts: [...HOSTS, "graph.instagram.com", "api.instagram.com"],
  title: "Instagram",
  about,
  glyph: {
    color: "#d62976",
    path: "M8 3.5h8A4.5 4.5 0 0 1 20.5 8v8a4.5 4.5 0 0 1-4.5 4.5H8A4.5 4.5 0 0 1 3.5 16V8A4.5 4.5 0 0 1 8 3.5zM12 8.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6zM17 6.9v.1",
  },
  settings,
  words,
  afterwards,
  explanations,
  serverSettings,
  features: () =>
    featuresOf(shown, {
      type: "instagram",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: 1, maxSize: IMAGE_BYTES, maxNote: TEXT_BYTES },
      file: { maxCount: 1, maxSize: FILE_BYTES, maxNote: TEXT_BYTES },
      audio: { maxCount: 1, maxSize: FILE_BYTES },
      reactions: { dictionary: ["❤️"], maxCount: 1 },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_BYTES,
    textUnit: "bytes",
    caption: 0,
    marks: false,
    image: { most: 1, size: IMAGE_BYTES },
    file: { most: 1, size: FILE_BYTES },
    audio: { most: 1, size: FILE_BYTES },
    webPictures: true,
    cards: CARD,
    suggestions: ["text", "url"],
    exclusive: isLink,
    asLines,
    albumButtons: false,
  }),
  pace: PACE,
  sendIdempotency: "lookup",
  idempotencyMs: LOOKUP_MS,
  bodyLimit: () => BODY_BYTES,
  notes: NOTES,
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
        receive: receiving(login, {
          ...door,
          ...(own.comments && { more: (entries) => readComments(entries, login) }),
        }),
      }),
      ...sendingTo(context),
      ...standing(context, login.graph),
      renew: renewing(context),
      list: listing(login),
      files: { open: (ref, signal) => openMedia(media, ref, {}, signal) },
      avatars: avatars(login),
    };
  },
});
