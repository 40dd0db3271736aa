import { createHash } from "node:crypto";
import { DeliveryError } from "../../domain/delivery.ts";
import type { MessengerMessageId } from "../../domain/ids.ts";
import type { Content, FilePart, Money, OutboundMessage } from "../../domain/message.ts";
import { type ChannelContext, type ChannelSession, FileTooLarge, type MessageAt } from "../port.ts";
import { isPicture } from "./files.ts";
import { type Entry, FILE_BYTES, type Settings, type ShownFile } from "./wire.ts";

type Context = ChannelContext<Settings>;
type Outbound = Pick<ChannelSession, "send" | "revisions" | "readMarks" | "files">;

/** The agent's side: everything becomes an entry of the chat's journal, which the widget follows. */
export function sending(context: Context): Outbound {
  const { journal } = context;
  const note = (target: MessageAt, key: string, entry: Entry) => journal.append([{ chat: target.chat, key, entry }]);
  const mark = (type: "deleted" | "read" | "delivered") => (target: MessageAt) =>
    note(target, `${type}:${target.messengerMessageId}`, { type, id: target.messengerMessageId });
  return {
    async send(message, key, signal) {
      const files = "files" in message.content ? await keepFiles(context, message.content.files, signal) : [];
      signal.throwIfAborted();
      const id = `a.${key}` as MessengerMessageId;
      await journal.append([
        { chat: message.chat, key: `out:${key}`, entry: toEntry(message, id, files, context.clock.now()) },
      ]);
      return { messengerMessageIds: [id] };
    },
    revisions: {
      // Keyed by place in the row of edits, so that going back to an earlier text is an edit of its own.
      async edit(target, content) {
        const text = textOf(content) ?? "";
        const seen = await journal.latest(target.chat, EDITS_LOOKED_AT);
        const edits = seen
          .map(({ entry }) => entry as Entry)
          .filter((e) => e.type === "edited" && e.id === target.messengerMessageId);
        const last = edits.at(-1);
        if (last?.type === "edited" && last.text === text) return;
        const digest = createHash("sha256").update(text).digest("base64url").slice(0, 16);
        const key = `edited:${target.messengerMessageId}:${edits.length}:${digest}`;
        await note(target, key, { type: "edited", id: target.messengerMessageId, text });
      },
      delete: mark("deleted"),
    },
    readMarks: { read: mark("read"), delivered: mark("delivered") },
    files: {
      async open(ref) {
        const file = await context.keptFiles.open(ref);
        if (!file) throw new DeliveryError({ type: "reject", code: "general" }, "the file is no longer kept");
        return file;
      },
    },
  };
}

const EDITS_LOOKED_AT = 400;

/** Copies the files here: the visitor's browser can show them later without costing the account a gateway request. */
async function keepFiles(context: Context, parts: FilePart[], signal: AbortSignal): Promise<ShownFile[]> {
  const files: ShownFile[] = [];
  for (const part of parts) {
    if (part.file.at !== "gateway")
      throw new DeliveryError({ type: "reject", code: "general" }, "the file is not at the gateway");
    const open = await context.openGatewayFile(part.file.id, signal);
    const name = part.caption || part.name || open.name || "file";
    const mediaType = open.mediaType.split(";")[0] ?? "application/octet-stream";
    try {
      const { id, size } = await context.keptFiles.keep({ ...open, name, mediaType }, FILE_BYTES);
      files.push({ id, name, mediaType, size, image: isPicture(mediaType) });
    } catch (error) {
      if (error instanceof FileTooLarge) throw new DeliveryError({ type: "reject", code: "general" }, error.message);
      throw new DeliveryError(
        { type: "retry" },
        `the file could not be kept: ${error instanceof Error ? error.message : "?"}`,
      );
    }
  }
  return files;
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

const price = (money: Money | undefined) => money && `${money.value} ${money.currency}`;
const lines = (...parts: (string | undefined)[]) => parts.filter(Boolean).join("\n");

/** Cards are not announced; one that comes all the same is shown as text rather than lost. */
function textOf(content: Content): string | undefined {
  switch (content.type) {
    case "text":
      return content.text;
    case "product":
      return lines(content.text, content.product.name, price(content.product.cost), content.product.url);
    case "order": {
      const { order } = content;
      const items = order.items.map((item) =>
        lines(`${item.name} × ${item.quantity ?? 1}`, price(item.price)).replace("\n", " – "),
      );
      return lines(content.text, order.number && `№ ${order.number}`, ...items, price(order.cost), order.url);
    }
    default:
      return content.note;
  }
}
