import { onAbort } from "gangway-messenger/clock";
import { createExplain } from "gangway-messenger/explanations";
import { FileTooLarge, type HostedContext, type HostedReceipt } from "gangway-messenger/hosted";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { fileReply, keepSniffed } from "gangway-messenger/kept-files";
import { languageOf } from "gangway-messenger/language";
import type { ChannelEvent } from "gangway-messenger/message";
import { withMinRate } from "./files.ts";
import { historyPage, messageState } from "./history.ts";
import { takeMessage } from "./message.ts";
import { appearance, endOf, erase, hasEnded, logout, open, unread, visitorOf } from "./opening.ts";
import { createRates } from "./rates.ts";
import { allows, checkRate, Refusal, readJson, receipt, refuse, withCors } from "./reply.ts";
import type { VisitorRequest, WidgetRequest } from "./request.ts";
import { takeVisit } from "./site-visit.ts";
import { createSiteNotes } from "./sites.ts";
import { eventStream } from "./stream.ts";
import { createUploads } from "./uploads.ts";
import { bareFileId, createVisitors } from "./visitor.ts";
import { visitorStreams } from "./visitor-streams.ts";
import { FILE_BYTES, IMAGE_BYTES, readBody, type Settings } from "./wire.ts";
import { explanations } from "./words.ts";

type Context = HostedContext<Settings>;

const explain = createExplain(explanations);

/** Per visitor: more than a person needs. Per address: enough for an office, or a proxy of all visitors. */
const VISITOR_RATE = { burst: 60, perSecond: 2 };
const ADDRESS_RATE = { burst: 1_000, perSecond: 50 };
/** Per address: an erasure is work for the whole server. */
const ERASURE_RATE = { burst: 10, perSecond: 10 / 3_600 };

/** Serves the widget: `/m/<door>/` and a route below. */
export function receiving(context: Context): (request: Request, address?: string) => Promise<HostedReceipt> {
  const visitors = createVisitors(context.settings.visitorKey, context.clock);
  const limits = {
    byVisitor: createRates(context.clock, VISITOR_RATE),
    byAddress: createRates(context.clock, ADDRESS_RATE),
    erasures: createRates(context.clock, ERASURE_RATE),
    uploads: createUploads(context.clock),
    streams: visitorStreams(context.clock, context.streams),
  };
  // The account's page has a test page with the chat.
  const own = new URL(context.doorUrl).origin;
  const noteSite = createSiteNotes(context.notes, context.clock);
  return async (request, address = "unknown") => {
    const origin = request.headers.get("origin");
    const language = languageOf(request.headers.get("accept-language")) ?? context.settings.language;
    const refused = ({ status, message, path, retryAfter }: Refusal) =>
      withCors(refuse({ status, message: explain(message, language), path, retryAfter }), origin);
    try {
      const allowed = origin === own || allows(context.settings, origin);
      if (origin !== own && /\/(appearance|open)$/.test(request.url)) void noteSite(origin, !allowed);
      if (!allowed) throw new Refusal(403, "This site may not show this chat");
      return withCors(await answer({ context, visitors, limits, request, address }), origin);
    } catch (error) {
      if (error instanceof FileTooLarge) return refused(new Refusal(413, "The file is too large"));
      if (!(error instanceof Refusal)) throw error;
      return refused(error);
    }
  };
}

const VISITOR_ROUTES: Record<string, (req: VisitorRequest) => HostedReceipt | Promise<HostedReceipt>> = {
  "GET events": events,
  "GET history": history,
  "GET unread": unread,
  "POST messages": takeMessage,
  "POST files": takeFile,
  "POST read": takeRead,
  "POST logout": logout,
  "POST erase": erase,
  "POST visit": takeVisit,
};

async function answer(req: WidgetRequest): Promise<HostedReceipt> {
  const { method, url, headers } = req.request;
  checkRate(req.limits.byAddress(req.address));
  const path = new URL(url).pathname.split("/").slice(3);
  if (method === "GET" && path[0] === "files" && path.length === 3) return sendFile(req.context, path[1] ?? "");
  const route = `${method} ${path.join("/")}`;
  if (route === "POST open") return open(req);
  if (route === "GET appearance") return appearance(req);
  const act = Object.hasOwn(VISITOR_ROUTES, route) ? VISITOR_ROUTES[route] : undefined;
  if (!act) throw new Refusal(404, "Not found");
  const token = headers.get("authorization")?.replace(/^Bearer /i, "") ?? "";
  const visitor = await visitorOf(req.visitors, req.context, token);
  if (!visitor) throw new Refusal(401, "Please reload the page");
  checkRate(req.limits.byVisitor(visitor));
  return act({ ...req, visitor, token });
}

async function history({ context, request, visitor }: VisitorRequest): Promise<HostedReceipt> {
  const before = positionIn(new URL(request.url).searchParams.get("before"));
  if (before === undefined) throw new Refusal(400, "should be a position", "before");
  const { history: entries, older } = await historyPage(context.journal, visitor as ChatId, before);
  return receipt({ history: entries, older });
}

const positionIn = (text: string | null) => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined);

function events({ context, limits: { streams }, request, visitor, address, token }: VisitorRequest): HostedReceipt {
  const { journal, notes, clock, closed } = context;
  const after = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("after");
  const position = positionIn(after) ?? 0;
  const chat = visitor as ChatId;
  const controller = new AbortController();
  const cut = () => controller.abort();
  const take = () => {
    const free = streams.take({ visitor, address }, cut);
    request.signal.addEventListener("abort", cut);
    const ignore = onAbort(closed, cut);
    if (request.signal.aborted || closed.aborted) cut();
    return () => {
      request.signal.removeEventListener("abort", cut);
      ignore();
      free();
    };
  };
  streams.check({ visitor, address });
  const end = async () => ((await hasEnded(notes, token)) ? endOf(token) : undefined);
  const { signal } = controller;
  return { events: [], reply: eventStream({ journal, clock, chat, position, signal, end, take }) };
}

async function takeFile(req: VisitorRequest): Promise<HostedReceipt> {
  const declared = Number(req.request.headers.get("content-length") ?? FILE_BYTES);
  const reservation = req.limits.uploads.reserve(req, declared <= FILE_BYTES ? declared : FILE_BYTES);
  let kept = false;
  try {
    const file = await keepFile(req);
    reservation.complete(file.id, file.size);
    kept = true;
    return receipt({ ...file, id: req.visitors.ticketFor(req.visitor, file.id) });
  } finally {
    if (!kept) reservation.release();
  }
}

async function keepFile({ context, request, visitor }: VisitorRequest) {
  if (!request.body) throw new Refusal(400, "The file is empty");
  const name = safeName(request.headers.get("x-file-name") ?? "");
  const incoming = {
    body: withMinRate(request.body, context.clock),
    name,
    mediaType: request.headers.get("content-type") ?? "",
  };
  const of = { uploader: "customer", chat: visitor as ChatId } as const;
  const file = await keepSniffed(context.keptFiles, incoming, { image: IMAGE_BYTES, file: FILE_BYTES }, of);
  if (file.size === 0) throw new Refusal(400, "The file is empty");
  return file;
}

function safeName(encoded: string): string {
  let name = encoded;
  try {
    name = decodeURIComponent(encoded);
  } catch {
    // Not encoded: use it as it is.
  }
  const clean = name.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069/\\]/gu, "_");
  // Keep the end, with the extension.
  return [...clean].slice(-120).join("") || "file";
}

async function sendFile({ keptFiles }: Context, id: string): Promise<HostedReceipt> {
  const file = await keptFiles.open(bareFileId(id));
  if (!file) throw new Refusal(404, "There is no such file");
  return { events: [], reply: fileReply(file) };
}

async function takeRead({ context, request, visitor }: VisitorRequest): Promise<HostedReceipt> {
  const { id } = await readJson(request, readBody);
  const chat = visitor as ChatId;
  const { message } = await messageState(context.journal, chat, id);
  if (message?.from !== "agent") throw new Refusal(400, "There is no such message from an agent", "id");
  const event: ChannelEvent = {
    type: "read",
    key: `read:${id}`,
    chat,
    messengerMessageId: id as MessengerMessageId,
    at: context.clock.now(),
  };
  return receipt({ id }, { events: [event] });
}
