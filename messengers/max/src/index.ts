import { featuresOf } from "gangway-messenger/features";
import { fingerprint } from "gangway-messenger/ids";
import { type ChannelSession, defineChannel } from "gangway-messenger/port";
import * as z from "zod";
import { type MaxApi, maxApi } from "./api.ts";
import { connecting } from "./connection.ts";
import { explanations } from "./explanations.ts";
import { polling } from "./feed.ts";
import { openFile } from "./files.ts";
import { receiving, SECRET_HEADER } from "./reading/reading.ts";
import { asLines } from "./sending/keyboard.ts";
import { sending } from "./sending/outbound.ts";
import { shown } from "./shown.ts";
import {
  AGENT_TEXT,
  apiUrlOf,
  type Context,
  dialogKey,
  FILE_BYTES,
  HOST,
  isPolling,
  MAX_PICTURES,
  NOTES,
  REQUEST_BYTES,
  type Server,
  type Settings,
  serverSettings,
  settings,
  TEXT_LENGTH,
} from "./wire.ts";
import { about, words } from "./words.ts";

const dialog = z.object({ dialog_with_user: z.object({ avatar_url: z.string().nullish() }).nullish() });

/** Webhooks contain no picture: the dialog does. */
function avatars({ notes }: Context, api: MaxApi): NonNullable<ChannelSession["avatars"]> {
  return {
    async find(customer, signal) {
      const chat = await notes.get(dialogKey(customer));
      if (!chat || chat.startsWith("u")) return undefined;
      const path = `chats/${encodeURIComponent(chat)}`;
      const found = await api.ask({ method: "GET", path, result: dialog, what: "the dialog" }, signal);
      const url = found.dialog_with_user?.avatar_url;
      return url ? { version: fingerprint(url).slice(0, 16), ref: url } : undefined;
    },
  };
}

/** A bot of MAX (dev.max.ru/docs-api). It answers customers who have started it; MAX does not report when they read. */
export default defineChannel<Settings, Server>({
  kind: "max",
  title: "MAX",
  about,
  glyph: { color: "#6b4eff", path: "M4 19V5l8 8 8-8v14" },
  hosts: [HOST],
  settings,
  words,
  explanations,
  serverSettings,
  caFile: ({ MAX_CA_FILE }) => MAX_CA_FILE,
  features: () =>
    featuresOf(shown, {
      type: "max",
      text: { maxLength: AGENT_TEXT },
      image: { maxCount: MAX_PICTURES, maxSize: FILE_BYTES, maxNote: TEXT_LENGTH },
      file: { maxCount: 1, maxSize: FILE_BYTES, maxNote: TEXT_LENGTH },
      audio: { maxCount: 1, maxSize: FILE_BYTES },
      firstContact: "no",
      afterReplyTimeout: "no",
    }),
  capabilities: ({ language }) => ({
    language,
    text: TEXT_LENGTH,
    textUnit: "bytes",
    caption: TEXT_LENGTH,
    marks: true,
    image: { most: MAX_PICTURES, size: FILE_BYTES },
    file: { most: 1, size: FILE_BYTES },
    // A voice message cannot be combined with anything.
    audio: { most: 1, size: FILE_BYTES, caption: 0 },
    webPictures: true,
    suggestions: ["text", "phone", "email", "url"],
    asLines,
    albumButtons: true,
  }),
  // 30 calls a second (dev.max.ru): five are reserved for uploads and checks. An album takes a dozen calls.
  pace: { perSecond: 25, filesPerSecond: 2, perChat: () => ({ most: 2, everyMs: 1_000 }) },
  sendIdempotency: "lookup",
  bodyLimit: () => REQUEST_BYTES,
  proof: ({ webhookSecret }) => ({ [SECRET_HEADER]: webhookSecret }),
  notes: NOTES,
  open: (context) => {
    const api = maxApi({ ...context, apiUrl: apiUrlOf(context), token: context.settings.token });
    return {
      ...connecting(context, api),
      ...sending(context, api),
      receive: receiving(context),
      files: { open: (ref, signal) => openFile(context.call, api, ref, signal) },
      avatars: avatars(context, api),
      ...(isPolling(context) && { feed: polling(context, api) }),
    };
  },
});
