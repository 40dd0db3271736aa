import { readMultipart } from "gangway-messenger/kit/emulator/multipart";
import { randomText } from "gangway-messenger/kit/emulator/random";
import { mediaTypeOf, sniff } from "gangway-messenger/kit/emulator/sniff";
import { z } from "zod";
import { messageOperations } from "./messages.ts";
import type { Platform } from "./platform.ts";
import { badPayload, missing, notAllowed, notFound } from "./refusal.ts";
import { botView, chatView } from "./views.ts";
import type { Bot, Dialog } from "./world.ts";

/** A call of the API. */
export interface Asked {
  bot: Bot;
  /** Of the path. */
  path: Record<string, string>;
  query: Record<string, string>;
  /** JSON; undefined without a body. */
  body: unknown;
  gone: AbortSignal;
}
export interface Operation {
  /** The published `operationId`. */
  id: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  /** The answer's body. Throws MaxRefusal. */
  run(asked: Asked): unknown;
}

const OWN_ACTIONS = ["typing_on", "sending_photo", "sending_video", "sending_audio", "sending_file", "mark_seen"];

/** The bot's dialog with this id. Throws MaxRefusal. */
export function dialogById({ world }: Platform, bot: Bot, id: string): Dialog {
  const found = world.dialogs.find((each) => each.bot === bot && String(each.chatId) === id && each.status !== "new");
  if (!found) throw notFound("chat");
  return found;
}

export const allOperations = (platform: Platform): Operation[] => [
  ...botOperations(platform),
  ...subscriptionOperations(platform),
  ...messageOperations(platform),
  ...mediaOperations(platform),
];

function botOperations(platform: Platform): Operation[] {
  const { clock, origin } = platform;
  return [
    { id: "getMyInfo", method: "GET", path: "/me", run: ({ bot }) => botView(bot, clock.now()) },
    {
      id: "getChat",
      method: "GET",
      path: "/chats/:chatId{-?\\d+}",
      run: ({ bot, path }) => chatView(dialogById(platform, bot, path.chatId ?? ""), origin(), clock.now()),
    },
    {
      id: "sendAction",
      method: "POST",
      path: "/chats/:chatId{-?\\d+}/actions",
      run({ bot, path, body }) {
        const dialog = dialogById(platform, bot, path.chatId ?? "");
        const action = z.strictObject({ action: z.string() }).safeParse(body).data?.action ?? "";
        // (u): the words.
        if (!OWN_ACTIONS.includes(action)) throw badPayload(`Invalid request. Unknown action '${action}'`);
        if (action === "mark_seen") dialog.seenAt = clock.now();
        else dialog.typing = action;
        return { success: true };
      },
    },
  ];
}

const subscription = z.strictObject({
  url: z.string(),
  secret: z
    .string()
    .regex(/^[\w-]{5,256}$/)
    .optional(),
  update_types: z.array(z.string()).optional(),
  version: z.string().optional(),
});
/** On this machine a sandbox has no certificate. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|[\w-]+\.test)$/;

function subscriptionOperations({ clock }: Platform): Operation[] {
  return [
    {
      id: "getSubscriptions",
      method: "GET",
      path: "/subscriptions",
      run: ({ bot }) => ({
        subscriptions: [...bot.subscriptions.values()].map(({ url, time, updateTypes }) => ({
          ...{ url, time },
          ...(updateTypes && { update_types: updateTypes }),
        })),
      }),
    },
    {
      id: "subscribe",
      method: "POST",
      path: "/subscriptions",
      run({ bot, body }) {
        const parsed = subscription.safeParse(body);
        if (!parsed.success) throw missing("url");
        const { url, secret, update_types: types = [] } = parsed.data;
        // An empty list is all: the official client sends it.
        const updateTypes = types.length > 0 ? types : undefined;
        const isHttps = URL.canParse(url) && new URL(url).protocol === "https:";
        // Plain http ended on 2026-05-25. (u): the words.
        if (!isHttps && !(URL.canParse(url) && LOOPBACK.test(new URL(url).hostname)))
          throw badPayload("Webhook url must use https");
        const time = bot.subscriptions.get(url)?.time ?? clock.now();
        bot.subscriptions.set(url, { url, time, ...(secret && { secret }), ...(updateTypes && { updateTypes }) });
        return { success: true };
      },
    },
    {
      id: "unsubscribe",
      method: "DELETE",
      path: "/subscriptions",
      run({ bot, query }) {
        if (!query.url) throw missing("url");
        // (u): what becomes of one that is not there.
        if (!bot.subscriptions.delete(query.url)) return { success: false, message: "No such subscription" };
        return { success: true };
      },
    },
    { id: "getUpdates", method: "GET", path: "/updates", run: (asked) => updates(clock, asked) },
  ];
}

const [MAX_UPDATES, MAX_TIMEOUT_S, DEFAULT_TIMEOUT_S] = [1_000, 90, 30];
/** How often an empty poll looks again, ms. */
const LOOK_MS = 50;

async function updates(clock: Platform["clock"], { bot, query, gone }: Asked): Promise<object> {
  // (u): the status; the schema lists 405 for this call.
  if (bot.subscriptions.size > 0) throw notAllowed("Bot is subscribed to webhook");
  const timeout = Number(query.timeout ?? DEFAULT_TIMEOUT_S);
  if (timeout > MAX_TIMEOUT_S) throw badPayload(`Field 'timeout' value (${timeout}) must be at most ${MAX_TIMEOUT_S}`);
  const limit = Math.min(MAX_UPDATES, Number(query.limit ?? 100));
  // The marker commits all before it; without one everything since the last commit comes again.
  if (query.marker !== undefined) bot.committed = Math.max(bot.committed, Number(query.marker));
  bot.queue = bot.queue.filter(({ marker }) => marker > bot.committed);
  const types = query.types?.split(",");
  const until = clock.now() + timeout * 1_000;
  const wanted = () =>
    bot.queue.filter(({ update }) => types?.includes((update as { update_type: string }).update_type) ?? true);
  while (wanted().length === 0 && clock.now() < until && !gone.aborted)
    await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
  const found = wanted().slice(0, limit);
  const marker = found.at(-1)?.marker ?? bot.lastMarker;
  return { updates: found.map(({ update }) => update), marker };
}

const KINDS = ["image", "video", "audio", "file"];
const TOKEN_LENGTH = 44;
const PICTURE = /^image\/(jpeg|png|gif|webp|bmp)$/;

function mediaOperations(platform: Platform): Operation[] {
  const { random, addresses, uploads, media, origin } = platform;
  return [
    {
      id: "getUploadUrl",
      method: "POST",
      path: "/uploads",
      run({ query: { type } }) {
        if (type === undefined) throw missing("type");
        // (u): the words.
        if (!KINDS.includes(type)) throw badPayload(`Invalid request. Unknown upload type '${type}'`);
        const address = randomText(TOKEN_LENGTH, random);
        const token = randomText(TOKEN_LENGTH, random);
        addresses.set(address, { kind: type, token });
        const url = `${origin()}/upload/${address}`;
        return type === "video" || type === "audio" ? { url, token } : { url };
      },
    },
    {
      id: "getVideoAttachmentDetails",
      method: "GET",
      path: "/videos/:videoToken{[\\w-]+}",
      run({ path: { videoToken = "" } }) {
        const upload = uploads.get(videoToken);
        if (upload?.kind !== "video" || !media.has(upload.medium)) throw notFound("video");
        const url = `${origin()}/files/${upload.medium}`;
        return { token: videoToken, urls: { mp4_480: url }, width: 640, height: 480, duration: 3 };
      },
    },
  ];
}

/** Keeps a file, and gives the token by which messages name it. */
export function addUpload(
  { media, bytes, uploads, random, switches }: Platform,
  { kind, name, mediaType, ...file }: { kind: string; name: string; mediaType: string; bytes: Uint8Array },
  token = randomText(TOKEN_LENGTH, random),
  isReady = false,
): { token: string; medium: string } {
  const medium = randomText(20, random);
  bytes.put(medium, file.bytes);
  media.set(medium, { kind, name, mediaType, size: file.bytes.byteLength });
  uploads.set(token, { kind, medium, notReady: isReady ? 0 : switches().notReady });
  return { token, medium };
}

/** dev.max.ru; a plain file may have 4 GB. */
const MAX_BYTES: Record<string, number> = { image: 50_000_000, video: 250_000_000, audio: 256_000_000 };

/** What the upload's own host answers to a multipart form: JSON, or XML for videos and audio. */
export function takeUpload(platform: Platform, address: string, contentType: string, body: Buffer): Response {
  const given = platform.addresses.get(address);
  if (!given) return new Response("", { status: 404 });
  const part = readMultipart(body, contentType).find(({ name }) => name === "data");
  // (u): what it says of a form without the file.
  if (!part) return Response.json({ error_code: 100, error_msg: "No file in request" }, { status: 400 });
  const { kind, token } = given;
  // (u): status and words.
  if (part.bytes.byteLength > (MAX_BYTES[kind] ?? Number.POSITIVE_INFINITY))
    return Response.json({ error_code: 100, error_msg: "File is too large" }, { status: 413 });
  const mediaType = kind === "image" ? sniff(part.bytes) : mediaTypeOf(part.bytes, part.mediaType);
  // (u): a picture that is none has no token.
  if (kind === "image" && !PICTURE.test(mediaType)) return Response.json({ photos: {} });
  const added = addUpload(platform, { kind, name: part.fileName ?? "file", mediaType, bytes: part.bytes }, token);
  if (kind === "image") return Response.json({ photos: { [added.medium]: { token } } });
  if (kind === "file") return Response.json({ token });
  return new Response("<retval>1</retval>", { headers: { "content-type": "application/xml" } });
}
