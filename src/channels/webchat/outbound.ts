import { createHash } from "node:crypto";
import { DeliveryError } from "../../domain/delivery.ts";
import { fingerprint, type MessengerMessageId } from "../../domain/ids.ts";
import type { Content, FilePart, OutboundMessage } from "../../domain/message.ts";
import { type ChannelContext, type ChannelSession, FileTooLarge, type MessageAt, type Revisions } from "../port.ts";
import { textOf } from "./card.ts";
import { keepProven } from "./files.ts";
import { traceOf } from "./past.ts";
import { bareFileId } from "./visitor.ts";
import { type Entry, FILE_BYTES, type Settings, type ShownFile } from "./wire.ts";

type Context = ChannelContext<Settings>;
type Outbound = Pick<ChannelSession, "send" | "revisions" | "readMarks" | "files">;

/** The agent's side: everything becomes an entry of the chat's journal, which the widget follows. */
export function sending(context: Context): Outbound {
  const mark = (type: "deleted" | "read" | "delivered") => (target: MessageAt, signal: AbortSignal) =>
    note(context, target, `${type}:${target.messengerMessageId}`, { type, id: target.messengerMessageId }, signal);
  return {
    async send(message, key, signal) {
      const files = await keepFiles(context, message.content, [], signal);
      const id = `a.${key}` as MessengerMessageId;
      const entry = toEntry(message, id, files, context.clock.now());
      await note(context, { chat: message.chat }, `out:${key}`, entry, signal);
      return { messengerMessageIds: [id] };
    },
    revisions: { edit: editing(context), delete: mark("deleted") },
    readMarks: { read: mark("read"), delivered: mark("delivered") },
    files: {
      async open(ref) {
        const file = await orRetry("the file could not be read", context.keptFiles.open(bareFileId(ref)));
        if (!file) throw new DeliveryError({ type: "reject", code: "general" }, "the file is no longer kept");
        return file;
      },
    },
  };
}

async function note(
  { journal }: Context,
  { chat }: Pick<MessageAt, "chat">,
  key: string,
  entry: Entry,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  await orRetry("the chat could not be written", journal.append([{ chat, key, entry }]));
}

/** Trouble of our own disk: nothing has reached the visitor, so it is tried again. */
function orRetry<T>(what: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof DeliveryError) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new DeliveryError({ type: "retry" }, `${what}${code}`);
  });
}

/** Keyed by place in the row of edits, so that going back to an earlier text is an edit of its own. */
function editing(context: Context): Revisions["edit"] {
  return async (target, content, signal) => {
    const id = target.messengerMessageId;
    const { message, edits } = await orRetry("the chat could not be read", traceOf(context.journal, target.chat, id));
    const before = edits.findLast((edit) => edit.files)?.files ?? message?.files ?? [];
    const files = await keepFiles(context, content, before, signal);
    const text = textOf(content) ?? "";
    // An edit that names no files leaves them as they are.
    const state = digest(text, files.length > 0 ? files : before);
    const last = edits.at(-1);
    if (last && digest(last.text, before) === state) return;
    const entry: Entry = { type: "edited", id, text, ...(files.length > 0 && { files }) };
    await note(context, target, `edited:${id}:${edits.length}:${state}`, entry, signal);
  };
}

const digest = (text: string, files: ShownFile[]) =>
  createHash("sha256")
    .update(JSON.stringify([text, files.map((file) => file.source ?? file.id)]))
    .digest("base64url")
    .slice(0, 16);

/** Copies the files here: the visitor's browser can show them later without costing the account a gateway request. */
async function keepFiles(
  context: Context,
  content: Content,
  before: ShownFile[],
  signal: AbortSignal,
): Promise<ShownFile[]> {
  const files: ShownFile[] = [];
  if (!("files" in content)) return files;
  for (const part of content.files) {
    signal.throwIfAborted();
    files.push(await keepFile(context, part, before, signal));
  }
  return files;
}

async function keepFile(context: Context, part: FilePart, before: ShownFile[], signal: AbortSignal) {
  if (part.file.at !== "gateway")
    throw new DeliveryError({ type: "reject", code: "general" }, "the file is not at the gateway");
  const source = fingerprint(part.file.id);
  const kept = before.find((file) => file.source === source);
  if (kept) return kept;
  const open = await context.openGatewayFile(part.file.id, signal);
  const file = { ...open, name: part.caption || part.name || open.name || "file" };
  try {
    const shown = await keepProven(context.keptFiles, file, { image: FILE_BYTES, file: FILE_BYTES });
    return { ...shown, width: part.width, height: part.height, source };
  } catch (error) {
    if (error instanceof FileTooLarge) throw new DeliveryError({ type: "reject", code: "general" }, error.message);
    return orRetry("the file could not be kept", Promise.reject(error));
  }
}

function toEntry(message: OutboundMessage, id: string, files: ShownFile[], at: number): Entry {
  const { quote, author, suggestions } = message;
  return {
    type: "message",
    from: "agent",
    id,
    text: textOf(message.content),
    files,
    quote: quote && { id: quote.messengerMessageId, text: quote.text },
    suggestions,
    author: author && { name: author.name, bot: author.bot },
    at,
  };
}
