import type { HostedContext, HostedReceipt } from "gangway-messenger/hosted";
import { type ChatId, type CustomerId, cleanName } from "gangway-messenger/ids";
import type { ChannelEvent, Content, Customer, FilePart, FilesContent, Mark } from "gangway-messenger/message";
import type { Note } from "gangway-messenger/port";
import { marksOf, rangeOf } from "gangway-messenger/text";
import type { InboundEvent, InboundFile, InboundOf } from "./events.ts";
import { webRef } from "./files.ts";
import { fullId } from "./message-id.ts";
import { wrongField } from "./reply.ts";
import type { Settings } from "./wire.ts";

type Context = HostedContext<Settings>;
type Read = Pick<HostedReceipt, "events" | "journal" | "notes">;

/** Notes that keep the address of a customer's picture, by customer. */
export const PICTURES = "picture-of:";

/** What an event of the app brings. `id` is its webhook-id. Throws Refusal. */
export async function readEvent(context: Context, id: string, event: InboundEvent): Promise<Read> {
  const now = context.clock.now();
  const at = event.timestamp ? Math.min(now, Date.parse(event.timestamp)) : now;
  if (event.type === "message.created") return readMessage(context, event, at);
  return { events: [changeOf(id, event, at)] };
}

function changeOf(id: string, event: Exclude<InboundEvent, InboundOf<"message.created">>, at: number): ChannelEvent {
  const full = fullId(event.data.chat, event.data.id);
  const base = { chat: event.data.chat as ChatId, messengerMessageId: full, at };
  switch (event.type) {
    case "message.edited":
      return { ...base, type: "edited", key: `edited:${id}`, ...worded(event.data.text, event.data.marks) };
    case "message.deleted":
      return { ...base, type: "deleted", key: `deleted:${full}` };
    case "message.read":
      return { ...base, type: "read", key: `read:${full}` };
    case "message.failed": {
      const { code, reason } = event.data;
      return {
        ...base,
        type: "failed",
        key: `failed:${full}`,
        error: { code: code ?? "general", message: reason },
      };
    }
    case "reaction.changed":
      return { ...base, type: "reaction", key: `reaction:${id}`, reaction: event.data.reaction };
  }
}

async function readMessage(context: Context, { data }: InboundOf<"message.created">, at: number): Promise<Read> {
  const { id, from, quote, page } = data;
  const chat = data.chat as ChatId;
  const full = fullId(chat, id);
  const customer = customerOf(data);
  const files = await Promise.all((data.files ?? []).map((file, n) => partOf(context, file, n)));
  const kept = files.flatMap(({ upload }) => upload ?? []);
  const picture = data.customer?.avatar;
  const notes: Note[] = picture ? [{ key: PICTURES + customer.id, value: picture }] : [];
  return {
    events: [
      {
        ...{ type: "message", key: `message:${full}`, chat, messengerMessageId: full, at },
        originator: from === "staff" ? "channel" : "customer",
        customer,
        content: contentOf(data, files),
        ...(quote && { quote: fullId(chat, quote.id) }),
        ...(page && { page }),
      },
    ],
    // An entry that names the uploads keeps them.
    journal: kept.length > 0 ? [{ chat, key: `files:${full}`, entry: kept }] : [],
    notes,
  };
}

function customerOf({ chat, customer }: InboundOf<"message.created">["data"]): Customer {
  const id = (customer?.id ?? chat) as CustomerId;
  const { name, firstName, lastName, phone, email, language, profileUrl, avatar, utm } = customer ?? {};
  const tags = Object.entries(utm ?? {}).filter(([, value]) => value);
  return {
    id,
    nickname: cleanName(name ?? "") || cleanName([firstName, lastName].filter(Boolean).join(" ")) || id,
    firstName: firstName ?? undefined,
    lastName: lastName ?? undefined,
    phone: phone ?? undefined,
    email: email ?? undefined,
    language: language ?? undefined,
    profileUrl: profileUrl ?? undefined,
    ...(avatar && { hasAvatar: true }),
    ...(tags.length > 0 && { utm: Object.fromEntries(tags) }),
  };
}

type Kind = FilesContent["type"];
interface Part {
  part: FilePart;
  kind: Kind;
  upload?: string;
}

async function partOf({ keptFiles }: Context, file: InboundFile, n: number): Promise<Part> {
  const { upload, url } = file;
  const { width, height, duration } = file;
  const measures = {
    ...{ width: width ?? undefined, height: height ?? undefined, duration: duration ?? undefined },
  };
  if (upload) {
    const kept = await keptFiles.open(upload);
    if (!kept) throw wrongField(`data.files.${n}.upload`, "there is no such upload");
    await kept.body.cancel();
    const { mediaType, size } = kept;
    const part = { file: { at: "messenger", ref: upload } as const, name: file.name ?? kept.name, mediaType, size };
    return { part: { ...part, ...measures }, kind: file.kind ?? kindOf(mediaType), upload };
  }
  const address = url ?? "";
  const name = file.name ?? nameIn(address);
  const mediaType = file.mediaType ?? undefined;
  const part = { file: { at: "messenger", ref: webRef(address) } as const, name, mediaType };
  return { part: { ...part, ...measures }, kind: file.kind ?? kindOf(mediaType ?? typeOf(name)) };
}

const kindOf = (mediaType: string): Kind => {
  const [family] = mediaType.split("/");
  return family === "image" || family === "audio" ? family : "file";
};

function nameIn(address: string): string | undefined {
  const last = new URL(address).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || undefined;
  } catch {
    return last || undefined;
  }
}

/** By the name's extension, if nothing else tells. */
const typeOf = (name = ""): string => {
  if (/\.(png|jpe?g|gif|webp)$/i.test(name)) return "image/*";
  return /\.(ogg|oga|opus|mp3|m4a|wav)$/i.test(name) ? "audio/*" : "";
};

/** Files of several kinds are sent as files. */
function contentOf({ text, marks }: InboundOf<"message.created">["data"], files: Part[]): Content {
  const words = worded(text?.trim() ? text : "", marks);
  const [first] = files;
  if (!first) return { type: "text", ...words };
  const type = files.every(({ kind }) => kind === first.kind) ? first.kind : "file";
  const { text: note, ...formatting } = words;
  return { type, files: files.map(({ part }) => part), ...(note && { note, ...formatting }) };
}

/** A text with its formatting; an app may have placed marks beyond its end, or into a surrogate pair. */
function worded(text: string, given: Mark[] | null | undefined): { text: string; marks?: Mark[] } {
  const marks = (given ?? []).flatMap((mark) => {
    const range = rangeOf(text, mark);
    return range && (mark.type !== "link" || mark.url)
      ? { ...mark, offset: range.start, length: range.end - range.start }
      : [];
  });
  return { text, ...marksOf({ text, marks }) };
}
