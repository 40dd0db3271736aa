import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";
import type { ChannelEvent, Content } from "../../domain/message.ts";
import type { HostedContext, HostedReceipt, JournalEntry } from "../hosted.ts";
import type { VisitorAsk } from "./ask.ts";
import { customerOf } from "./customer.ts";
import { isPicture } from "./files.ts";
import { snippet, traceOf, visitorKey } from "./past.ts";
import { Refusal, readJson, receipt } from "./reply.ts";
import { type Entry, messageBody, type Settings, type ShownFile } from "./wire.ts";

/** Its id holds the visitor's, so that no visitor can take another's message's place. */
export async function takeMessage(ask: VisitorAsk): Promise<HostedReceipt> {
  const { context, visitor } = ask;
  const body = await readJson(ask.request, messageBody);
  const id = `${visitor}.${body.id}`;
  const files = await Promise.all((body.files ?? []).map((file, n) => shownFile(ask, file.id, n)));
  const chat = visitor as ChatId;
  const at = context.clock.now();
  const quote = await quoteOf(context, chat, body.quote);
  const customer = customerOf(visitor, { text: body.text ?? "", answers: body.answers, utm: body.utm ?? undefined });
  const [events, journal]: [ChannelEvent[], JournalEntry[]] = [[], []];
  for (const piece of piecesOf({ id, text: body.text?.trim() ? body.text : undefined, files, quote })) {
    const messengerMessageId = piece.id as MessengerMessageId;
    const event = { type: "message", key: piece.id, chat, messengerMessageId, at, originator: "customer" } as const;
    events.push({ ...event, customer, content: contentOf(piece), quote: piece.quote?.id, page: pageOf(body.page) });
    const entry: Entry = { type: "message", from: "visitor", ...piece, at };
    journal.push({ chat, key: visitorKey(piece.id), entry });
  }
  const onStored = () => ask.limits.uploads.sent(files.map((file) => file.id));
  return receipt({ id }, { events, journal, onStored });
}

interface Piece {
  id: string;
  text?: string;
  files: ShownFile[];
  quote?: { id: MessengerMessageId; text?: string };
}

/** A gateway message holds either pictures or other files. A mix becomes two messages; the text goes with the pictures. */
function piecesOf(whole: Piece): Piece[] {
  const pictures = whole.files.filter((file) => file.image);
  const others = whole.files.filter((file) => !file.image);
  if (pictures.length === 0 || others.length === 0) return [whole];
  return [
    { ...whole, files: pictures },
    { id: `${whole.id}.files`, files: others },
  ];
}

/** Most characters of a page's address; a longer one is left out rather than the message. */
const PAGE_LENGTH = 2048;
const pageOf = (page: string | null | undefined) =>
  page && page.length <= PAGE_LENGTH && /^https?:\/\//.test(page) && URL.canParse(page) ? page : undefined;

/** A quote of what is not in this chat is dropped: the gateway would refuse the whole message for it. */
async function quoteOf({ journal }: HostedContext<Settings>, chat: ChatId, id: string | null | undefined) {
  if (!id) return undefined;
  const trace = await traceOf(journal, chat, id);
  return trace.message && { id: id as MessengerMessageId, text: snippet(trace) };
}

async function shownFile({ context, known, visitor }: VisitorAsk, claim: string, n: number): Promise<ShownFile> {
  const id = known.claimed(visitor, claim);
  const file = id && (await context.keptFiles.open(id));
  if (!file) throw new Refusal(400, "There is no such file", `files.${n}.id`);
  await file.body.cancel();
  const { name = "file", mediaType, size = 0 } = file;
  return { id, name, mediaType, size, image: isPicture(mediaType) };
}

function contentOf({ text, files }: Piece): Content {
  if (files.length === 0) return { type: "text", text: text ?? "" };
  return {
    type: files.every((file) => file.image) ? "image" : "file",
    files: files.map(({ id, name, mediaType, size }) => ({
      file: { at: "messenger", ref: id },
      name,
      mediaType,
      size,
    })),
    note: text,
  };
}
