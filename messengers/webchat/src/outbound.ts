import { orderCard, productCard } from "gangway-messenger/card";
import { DeliveryError, errorCode } from "gangway-messenger/errors";
import { FileTooLarge, type HostedContext } from "gangway-messenger/hosted";
import { type ChatId, fingerprint } from "gangway-messenger/ids";
import { keepSniffed } from "gangway-messenger/kept-files";
import type { Language } from "gangway-messenger/language";
import type { FilePart } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import type { ChannelSession, MessageRef, Revisions } from "gangway-messenger/port";
import { agentKey, agentMessage, messageState, shortened } from "./history.ts";
import { bareFileId } from "./visitor.ts";
import { type Entry, FILE_BYTES, type Settings, type ShownFile } from "./wire.ts";

type Context = HostedContext<Settings>;
type Outbound = Pick<ChannelSession, "send" | "revisions" | "readMarks" | "files">;

/** Sends what agents write: everything becomes a journal entry, and the widget follows the journal. */
export function sending(context: Context): Outbound {
  const mark = (type: "deleted" | "read" | "delivered") => (target: MessageRef, signal: AbortSignal) =>
    note(context, target, `${type}:${target.messengerMessageId}`, { type, id: target.messengerMessageId }, signal);
  return {
    async send(step, { chat, key }, signal) {
      const files = await keepFiles(context, chat, step.files, signal);
      const id = agentMessage(key);
      await note(
        context,
        { chat },
        agentKey(key),
        toEntry(step, id, files, context.clock.now(), context.settings.language),
        signal,
      );
      return { parts: [{ messengerMessageId: id, holds: step.kind === "text" ? "text" : "caption" }] };
    },
    revisions: { edit: editing(context), delete: mark("deleted") },
    readMarks: { read: mark("read"), delivered: mark("delivered") },
    files: {
      async open(ref) {
        const file = await orRetry("the file could not be read", context.keptFiles.open(bareFileId(ref)));
        if (!file) throw new DeliveryError({ type: "reject", code: "general" }, "the file is no longer stored");
        return file;
      },
    },
  };
}

async function note(
  { journal }: Context,
  { chat }: Pick<MessageRef, "chat">,
  key: string,
  entry: Entry,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  await orRetry("the chat could not be written", journal.append([{ chat, key, entry }]));
}

/** Errors of our own disk: nothing has reached the visitor, so the relay retries. */
function orRetry<T>(what: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof DeliveryError) throw error;
    const code = errorCode(error);
    throw new DeliveryError({ type: "retry" }, code === undefined ? what : `${what} (${code})`);
  });
}

/** The key contains the edit's number, so that a return to an earlier text is a new entry. */
function editing(context: Context): Revisions["edit"] {
  return async ({ part, text }, chat, signal) => {
    const id = part.messengerMessageId;
    const { edits } = await orRetry("the chat could not be read", messageState(context.journal, chat, id));
    if (edits.at(-1)?.text === text) return;
    await note(context, { chat }, `edited:${id}:${edits.length}:${digest(text)}`, { type: "edited", id, text }, signal);
  };
}

const digest = (text: string) => fingerprint(text).slice(0, 16);

/** Copies the files to this server, so that showing them later costs no gateway request. */
async function keepFiles(context: Context, chat: ChatId, parts: FilePart[], signal: AbortSignal): Promise<ShownFile[]> {
  const files: ShownFile[] = [];
  for (const part of parts) {
    signal.throwIfAborted();
    files.push(await keepFile(context, chat, part, signal));
  }
  return files;
}

async function keepFile(context: Context, chat: ChatId, part: FilePart, signal: AbortSignal): Promise<ShownFile> {
  if (part.file.at !== "gateway")
    throw new DeliveryError({ type: "reject", code: "general" }, "the file is not at the gateway");
  const open = await (await context.gatewayFile(part.file.id, signal)).open(signal);
  const file = { ...open, name: part.caption || part.name || open.name || "file" };
  try {
    const of = { uploader: "agent", chat } as const;
    const shown = await keepSniffed(context.keptFiles, file, { image: FILE_BYTES, file: FILE_BYTES }, of);
    return { ...shown, width: part.width, height: part.height };
  } catch (error) {
    if (error instanceof FileTooLarge) throw new DeliveryError({ type: "reject", code: "general" }, error.message);
    return orRetry("the file could not be stored", Promise.reject(error));
  }
}

function toEntry(step: SendStep, id: string, files: ShownFile[], at: number, language: Language): Entry {
  const { quote, author, suggestions, text, item } = step;
  return {
    type: "message",
    from: "agent",
    id,
    text: text || undefined,
    files,
    quote: quote && { id: quote.messengerMessageId, text: quote.text && shortened(quote.text) },
    suggestions,
    author: author && { name: author.name, bot: author.bot, avatar: webPicture(author.avatar) },
    ...(item && { item: boundedItem(item), words: wordsBefore(item, text, language) }),
    at,
  };
}

/** The visitor's browser fetches it; the server does not. */
const webPicture = (url: string | undefined) => (url && isHttps(url) ? url : undefined);
const isHttps = (url: string) => /^https:\/\//i.test(url) && URL.canParse(url);

/** Items of an order that the window shows individually. */
const MAX_ITEMS = 100;

function boundedItem(item: NonNullable<SendStep["item"]>): SendStep["item"] {
  if ("product" in item) return item;
  return { order: { ...item.order, items: item.order.items.slice(0, MAX_ITEMS) } };
}

/** The agent's own words, before the item's. */
function wordsBefore(item: NonNullable<SendStep["item"]>, text: string, language: Language): string | undefined {
  const said = "product" in item ? productCard(item.product, language) : orderCard(item.order, language);
  const [head = ""] = said.text.split("\n");
  const at = `\n${text}`.indexOf(`\n${head}`);
  return (at > 0 && head && text.slice(0, at).trim()) || undefined;
}
