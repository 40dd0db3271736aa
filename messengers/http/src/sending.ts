import { DeliveryError, errorCode } from "gangway-messenger/errors";
import { FileTooLarge, type HostedContext } from "gangway-messenger/hosted";
import { type ChatId, fingerprint } from "gangway-messenger/ids";
import { keepSniffed } from "gangway-messenger/kept-files";
import type { FilePart } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import type { ChannelSession, MessageRef } from "gangway-messenger/port";
import { callBack } from "./callback.ts";
import type { OutboundEvent, OutboundMessage, Told } from "./events.ts";
import { openFile, webRef } from "./files.ts";
import { idOf, pathOf, tell, told } from "./log.ts";
import { fullId, ownId } from "./message-id.ts";
import { PICTURES } from "./reading.ts";
import { FILE_BYTES, type Settings } from "./wire.ts";

type Context = HostedContext<Settings>;
type Outbound = Pick<ChannelSession, "send" | "revisions" | "readMarks" | "reactions" | "files" | "avatars">;

/** Agents' acts become events in the log; an app with a URL of its own is notified at once. */
export function sending(context: Context): Outbound {
  const mark =
    (type: "message.deleted" | "message.read" | "message.delivered") =>
    async ({ chat, messengerMessageId }: MessageRef, signal: AbortSignal) => {
      const id = ownId(chat, messengerMessageId);
      await say(context, chat, `${type}:${id}`, { type, data: { chat, id } }, signal);
    };
  return {
    async send(step, { chat, key }, signal) {
      const own = await sendMessage(context, step, chat, key, signal);
      const holds = step.kind === "text" ? "text" : "caption";
      return { parts: [{ messengerMessageId: fullId(chat, own), holds }] };
    },
    revisions: {
      async edit({ part, text, marks, suggestions: buttons }, chat, signal) {
        const data = { chat, id: ownId(chat, part.messengerMessageId), text, marks, buttons };
        await change(context, chat, { type: "message.edited", data }, signal);
      },
      delete: mark("message.deleted"),
    },
    readMarks: { read: mark("message.read"), delivered: mark("message.delivered") },
    reactions: {
      set({ chat, messengerMessageId }, reaction, signal) {
        const data = { chat, id: ownId(chat, messengerMessageId), reaction };
        return change(context, chat, { type: "reaction.changed", data }, signal);
      },
    },
    files: { open: (ref, signal) => orRetry("the file could not be read", openFile(context, ref, signal)) },
    avatars: {
      async find(customer) {
        const url = await context.notes.get(PICTURES + customer);
        return url ? { version: fingerprint(url), ref: webRef(url) } : undefined;
      },
    },
  };
}

/** Resolves with the message's id: the app's, or ours. */
async function sendMessage(context: Context, step: SendStep, chat: ChatId, key: string, signal: AbortSignal) {
  signal.throwIfAborted();
  const name = `message:${key}`;
  // A repeat names the same files.
  const [before] = await orRetry(UNREAD, told(context, chat, name));
  if (before) return (await call(context, before, signal)) ?? (before.data as OutboundMessage).id;
  const id = idOf(context, "msg", key);
  const data = messageOf(step, { chat, id, files: await filesOf(context, chat, step.files, signal) });
  return (await say(context, chat, name, { type: "message.created", data }, signal)) ?? id;
}

/** What changes repeatedly: an event equal to the last one is its repeat. */
async function change(
  context: Context,
  chat: ChatId,
  what: Extract<Told, { type: "message.edited" | "reaction.changed" }>,
  signal: AbortSignal,
): Promise<void> {
  const name = `${what.type}:${what.data.id}`;
  const all = (await orRetry(UNREAD, told(context, chat, name))).filter(
    ({ data }) => "id" in data && data.id === what.data.id,
  );
  const last = all.at(-1);
  const isRepeat = last !== undefined && JSON.stringify(last.data) === JSON.stringify(what.data);
  await say(context, chat, `${name}:${isRepeat ? all.length - 1 : all.length}`, what, signal);
}

const UNREAD = "the channel's log could not be read";

async function say(context: Context, chat: ChatId, key: string, what: Told, signal: AbortSignal) {
  signal.throwIfAborted();
  return call(context, await orRetry("the channel's log could not be written", tell(context, chat, key, what)), signal);
}

async function call(context: Context, event: OutboundEvent, signal: AbortSignal): Promise<string | undefined> {
  const { callbackUrl } = context.settings;
  return callbackUrl === undefined ? undefined : callBack(context, callbackUrl, event, signal);
}

/** Errors of our own disk: nothing has reached the app, so the relay tries again. */
function orRetry<T>(what: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof DeliveryError) throw error;
    const code = errorCode(error);
    throw new DeliveryError({ type: "retry" }, code === undefined ? what : `${what} (${code})`);
  });
}

function messageOf(
  { kind, text, marks, suggestions, quote, author, item }: SendStep,
  known: Pick<OutboundMessage, "chat" | "id" | "files">,
): OutboundMessage {
  const quoted = quote?.messengerMessageId;
  return {
    ...known,
    ...{ kind, text, marks, buttons: suggestions },
    ...(quote && { quote: { id: quoted && ownId(known.chat as ChatId, quoted), text: quote.text } }),
    ...(author && { author }),
    ...item,
  };
}

/** Agents' files are kept on this server, so that the app can fetch them at any time. */
async function filesOf(context: Context, chat: ChatId, parts: FilePart[], signal: AbortSignal) {
  const files: OutboundMessage["files"] = [];
  for (const part of parts) {
    signal.throwIfAborted();
    const { width, height, duration, caption, name, mediaType } = part;
    const about = { width, height, duration, caption };
    if (part.file.at === "web") files.push({ url: part.file.url, name, mediaType, ...about });
    else files.push({ ...(await keepFile(context, chat, part, signal)), ...about });
  }
  return files;
}

async function keepFile(context: Context, chat: ChatId, part: FilePart, signal: AbortSignal) {
  if (part.file.at !== "gateway")
    throw new DeliveryError({ type: "reject", code: "general" }, "the file is not at the gateway");
  const open = await (await context.gatewayFile(part.file.id, signal)).open(signal);
  const file = { ...open, name: part.name ?? open.name ?? "file" };
  try {
    const limits = { image: FILE_BYTES, file: FILE_BYTES };
    const kept = await keepSniffed(context.keptFiles, file, limits, { uploader: "agent", chat });
    const { id, name, mediaType, size } = kept;
    return { url: pathOf(id), name, mediaType, size };
  } catch (error) {
    if (error instanceof FileTooLarge) throw new DeliveryError({ type: "reject", code: "general" }, error.message);
    return orRetry("the file could not be stored", Promise.reject(error));
  }
}
