import type { z } from "zod";
import type { ChatId, CustomerId, MessengerMessageId } from "../../domain/ids.ts";
import type { ChannelEvent, Content } from "../../domain/message.ts";
import { type ChannelContext, FileTooLarge, type Receipt } from "../port.ts";
import { fileReply, isPicture, keepUpload } from "./files.ts";
import { eventStream } from "./stream.ts";
import { visitors } from "./visitor.ts";
import {
  type Entry,
  FILE_BYTES,
  IMAGE_BYTES,
  JSON_BYTES,
  MOST_FILES,
  messageBody,
  openBody,
  readBody,
  type Settings,
  type ShownFile,
  TEXT_LENGTH,
} from "./wire.ts";

/** Newest entries a widget is given when it opens. */
const HISTORY = 400;

class Refusal extends Error {
  readonly status: number;
  readonly path: string;
  constructor(status: number, message: string, path = "") {
    super(message);
    this.status = status;
    this.path = path;
  }
}

type Context = ChannelContext<Settings>;
interface Ask {
  request: Request;
  /** What stands behind the door in the path. */
  path: string[];
  /** Proven by the token. */
  visitor: string;
}

const receipt = (body: unknown, extra: Partial<Receipt> = {}, status = 200): Receipt => ({
  events: [],
  reply: Response.json(body, { status, headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" } }),
  ...extra,
});

/** The widget's side: `/m/<door>/open|events|messages|files|read`. */
export function receiving(context: Context): (request: Request) => Promise<Receipt> {
  const known = visitors(context.settings.visitorKey);
  return async (request) => {
    const origin = request.headers.get("origin");
    const allowed = allows(context.settings, origin);
    try {
      if (!allowed) throw new Refusal(403, "This site may not show this chat");
      if (request.method === "OPTIONS")
        return withCors({ events: [], reply: new Response(null, { status: 204 }) }, origin);
      const path = new URL(request.url).pathname.split("/").slice(3);
      return withCors(await answer(context, known, request, path), origin);
    } catch (error) {
      if (error instanceof FileTooLarge) return withCors(refuse(413, "The file is too large"), origin);
      if (!(error instanceof Refusal)) throw error;
      return withCors(refuse(error.status, error.message, error.path), allowed ? origin : null);
    }
  };
}

const refuse = (status: number, message: string, path = "") =>
  receipt({ error: { message, ...(path && { path }) } }, {}, status);

/** A request without an Origin comes from no page; the token still has to be right. */
function allows({ allowedOrigins }: Settings, origin: string | null): boolean {
  return !origin || allowedOrigins.length === 0 || allowedOrigins.includes(origin.toLowerCase());
}

function withCors(result: Receipt, origin: string | null): Receipt {
  const { headers } = result.reply;
  headers.append("vary", "Origin");
  if (!origin) return result;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-allow-methods", "GET, POST");
  headers.set("access-control-allow-headers", "authorization, content-type, last-event-id, x-file-name");
  headers.set("access-control-max-age", "7200");
  return result;
}

async function answer(
  context: Context,
  known: ReturnType<typeof visitors>,
  request: Request,
  path: string[],
): Promise<Receipt> {
  const route = `${request.method} ${path[0] ?? ""}`;
  if (route === "POST open") return open(context, known, await readJson(request, openBody));
  if (route === "GET files") return sendFile(context, path);
  const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
  const visitor = known.recognise(token);
  if (!visitor) throw new Refusal(401, "Please reload the page");
  const ask: Ask = { request, path, visitor };
  switch (route) {
    case "GET events":
      return events(context, ask);
    case "POST messages":
      return takeMessage(context, ask);
    case "POST files":
      return takeFile(context, ask);
    case "POST read":
      return takeRead(context, ask);
    default:
      throw new Refusal(404, "There is nothing here");
  }
}

async function readJson<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.infer<Schema>> {
  let body: unknown;
  const text = await request.text();
  if (text.length > JSON_BYTES) throw new Refusal(413, "The message is too large");
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, "is not JSON", "(body)");
  }
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new Refusal(400, first?.message ?? "is not as agreed", first?.path.join(".") || "(body)");
}

async function open(
  { settings, journal }: Context,
  known: ReturnType<typeof visitors>,
  body: z.infer<typeof openBody>,
): Promise<Receipt> {
  const visitor = body.visitor && known.recognise(body.visitor);
  const token = visitor && body.visitor ? body.visitor : known.invite();
  const records = visitor ? await journal.latest(visitor as ChatId, HISTORY) : [];
  const { title, greeting, accent } = settings;
  const limits = { text: TEXT_LENGTH, files: MOST_FILES, image: IMAGE_BYTES, file: FILE_BYTES };
  const history = records.map((record) => record.entry);
  return receipt({ visitor: token, title, greeting, accent, limits, history, cursor: records.at(-1)?.position ?? 0 });
}

function events({ journal, clock }: Context, { request, visitor }: Ask): Receipt {
  const asked = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("after") ?? "0";
  const position = /^\d{1,15}$/.test(asked) ? Number(asked) : 0;
  return { events: [], reply: eventStream(journal, clock, visitor as ChatId, position, request.signal) };
}

async function takeFile({ keptFiles }: Context, { request }: Ask): Promise<Receipt> {
  if (!request.body) throw new Refusal(400, "The file is empty");
  const name = safeName(request.headers.get("x-file-name") ?? "");
  const file = await keepUpload(keptFiles, request.body, name, request.headers.get("content-type") ?? "");
  if (file.size === 0) throw new Refusal(400, "The file is empty");
  return receipt({ ...file, image: isPicture(file.mediaType) });
}

function safeName(encoded: string): string {
  let name = encoded;
  try {
    name = decodeURIComponent(encoded);
  } catch {
    // Taken as it is.
  }
  return name.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069/\\]/gu, "_").slice(-120) || "file";
}

async function sendFile({ keptFiles }: Context, path: string[]): Promise<Receipt> {
  const file = path[1] && (await keptFiles.open(path[1]));
  if (!file) throw new Refusal(404, "There is no such file");
  return { events: [], reply: fileReply(file) };
}

/** Its id holds the visitor's, so that no visitor can take another's message's place. */
async function takeMessage(context: Context, { request, visitor }: Ask): Promise<Receipt> {
  const body = await readJson(request, messageBody);
  const id = `${visitor}.${body.id}` as MessengerMessageId;
  const files = await Promise.all(body.files.map(({ id: fileId }, n) => shownFile(context, fileId, n)));
  const at = context.clock.now();
  const chat = visitor as ChatId;
  const text = body.text?.trim() ? body.text : undefined;
  const event: ChannelEvent = {
    type: "message",
    key: id,
    chat,
    messengerMessageId: id,
    at,
    originator: "customer",
    customer: { id: visitor as CustomerId, nickname: `Visitor ${visitor.slice(0, 5)}` },
    content: contentOf(text, files),
    quote: body.quote as MessengerMessageId | undefined,
    page: body.page && /^https?:\/\//.test(body.page) && URL.canParse(body.page) ? body.page : undefined,
  };
  const entry: Entry = {
    type: "message",
    from: "visitor",
    id,
    text,
    files,
    quote: body.quote ? { id: body.quote } : undefined,
    at,
  };
  return receipt({ id }, { events: [event], journal: [{ chat, key: `in:${id}`, entry }] });
}

async function shownFile({ keptFiles }: Context, id: string, n: number): Promise<ShownFile> {
  const file = await keptFiles.open(id);
  if (!file) throw new Refusal(400, "There is no such file", `files.${n}.id`);
  await file.body.cancel();
  const { name = "file", mediaType, size = 0 } = file;
  return { id, name, mediaType, size, image: isPicture(mediaType) };
}

function contentOf(text: string | undefined, files: ShownFile[]): Content {
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

async function takeRead({ clock }: Context, { request, visitor }: Ask): Promise<Receipt> {
  const { id } = await readJson(request, readBody);
  const chat = visitor as ChatId;
  const event: ChannelEvent = {
    type: "read",
    key: `read:${visitor}:${id}`,
    chat,
    messengerMessageId: id as MessengerMessageId,
    at: clock.now(),
  };
  return receipt({}, { events: [event] });
}
