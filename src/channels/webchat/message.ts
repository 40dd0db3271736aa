import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";
import type { ChannelEvent, Content } from "../../domain/message.ts";
import type { HostedContext, HostedReceipt, JournalEntry } from "../hosted.ts";
import { customerOf } from "./customer.ts";
import { isPicture } from "./files.ts";
import { messageState, snippet, visitorKey } from "./history.ts";
import { Refusal, readJson, receipt } from "./reply.ts";
import type { VisitorRequest } from "./request.ts";
import { type Entry, messageBody, type Settings, type ShownFile } from "./wire.ts";

/** Message ids start with the visitor's id, so visitors cannot overwrite each other's messages. */
export async function takeMessage(req: VisitorRequest): Promise<HostedReceipt> {
  const { context, visitor } = req;
  const body = await readJson(req.request, messageBody);
  const id = `${visitor}.${body.id}`;
  const files = await Promise.all((body.files ?? []).map((file, n) => shownFile(req, file.id, n)));
  const chat = visitor as ChatId;
  const at = context.clock.now();
  const quote = await quoteOf(context, chat, body.quote);
  const details = { text: body.text ?? "", answers: body.answers, utm: body.utm ?? undefined };
  const customer = customerOf(visitor, context.settings.language, details);
  const [events, journal]: [ChannelEvent[], JournalEntry[]] = [[], []];
  for (const piece of piecesOf({ id, text: body.text?.trim() ? body.text : undefined, files, quote })) {
    const messengerMessageId = piece.id as MessengerMessageId;
    const event = { type: "message", key: piece.id, chat, messengerMessageId, at, originator: "customer" } as const;
    events.push({ ...event, customer, content: contentOf(piece), quote: piece.quote?.id, page: pageOf(body.page) });
    const entry: Entry = { type: "message", from: "visitor", ...piece, at };
    journal.push({ chat, key: visitorKey(piece.id), entry });
  }
  const onStored = () => req.limits.uploads.sent(files.map((file) => file.id));
  return receipt({ id }, { events, journal, onStored });
}

interface Piece {
  id: string;
  text?: string;
  files: ShownFile[];
  quote?: { id: MessengerMessageId; text?: string };
}

/** The gateway takes pictures or other files in one message. A mix becomes two; the text goes with the pictures. */
function piecesOf(whole: Piece): Piece[] {
  const pictures = whole.files.filter((file) => file.image);
  const others = whole.files.filter((file) => !file.image);
  if (pictures.length === 0 || others.length === 0) return [whole];
  return [
    { ...whole, files: pictures },
    { id: `${whole.id}.files`, files: others },
  ];
}

/** A longer page URL is dropped, not the message. Characters. */
const PAGE_LENGTH = 2048;
const pageOf = (page: string | null | undefined) =>
  page && page.length <= PAGE_LENGTH && /^https?:\/\//.test(page) && URL.canParse(page) ? page : undefined;

/** Drops a quote of an unknown message: the gateway would reject the whole message. */
async function quoteOf({ journal }: HostedContext<Settings>, chat: ChatId, id: string | null | undefined) {
  if (!id) return undefined;
  const state = await messageState(journal, chat, id);
  return state.message && { id: id as MessengerMessageId, text: snippet(state) };
}

async function shownFile(
  { context, visitors, visitor }: VisitorRequest,
  ticket: string,
  n: number,
): Promise<ShownFile> {
  const id = visitors.fileOf(visitor, ticket);
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
