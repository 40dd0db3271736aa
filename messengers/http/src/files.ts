import { createHmac } from "node:crypto";
import { failedCall, foreignAnswer } from "gangway-messenger/answers";
import { retryAfterMs, withBufferedBody } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { fetchedFile } from "gangway-messenger/files";
import { FileTooLarge, type HostedContext, type HostedReceipt } from "gangway-messenger/hosted";
import { type ChatId, sameSecret } from "gangway-messenger/ids";
import { fileReply, keepSniffed } from "gangway-messenger/kept-files";
import type { OpenFile } from "gangway-messenger/message";
import { z } from "zod";
import type { uploadRequest } from "./events.ts";
import { Refusal, receipt } from "./reply.ts";
import { FILE_BYTES, type Settings } from "./wire.ts";

type Context = HostedContext<Settings>;

// Customers' files come by link or by upload. An upload's URL is signed, so that its bytes need not be: they are
// streamed.

/** How long an upload's URL is valid, ms. */
const TICKET_MS = 3_600_000;
const ticket = z.object({ chat: z.string(), name: z.string(), mediaType: z.string(), until: z.number() });

const sealOf = ({ settings }: Context, body: string) =>
  createHmac("sha256", settings.uploadKey).update(`upload:${body}`).digest("base64url");

export function offerUpload(context: Context, file: z.infer<typeof uploadRequest>): HostedReceipt {
  const body = Buffer.from(JSON.stringify({ ...file, until: context.clock.now() + TICKET_MS })).toString("base64url");
  return receipt({ url: `${context.doorUrl}/uploads/${body}.${sealOf(context, body)}`, maxBytes: FILE_BYTES });
}

function readTicket(context: Context, given: string): z.infer<typeof ticket> {
  const [body = "", seal = ""] = given.split(".");
  if (!sameSecret(seal, sealOf(context, body))) throw new Refusal(403, "this is no address of an upload");
  const read = ticket.parse(JSON.parse(Buffer.from(body, "base64url").toString()));
  if (read.until < context.clock.now())
    throw new Refusal(403, "the address of this upload is too old: announce the file anew");
  return read;
}

export async function takeUpload(context: Context, request: Request, given: string): Promise<HostedReceipt> {
  const { chat, name, mediaType } = readTicket(context, given);
  if (!request.body) throw new Refusal(400, "the file is empty");
  const limits = { image: FILE_BYTES, file: FILE_BYTES };
  const of = { uploader: "customer", chat: chat as ChatId } as const;
  try {
    const file = await keepSniffed(context.keptFiles, { body: request.body, name, mediaType }, limits, of);
    if (file.size === 0) throw new Refusal(400, "the file is empty");
    return receipt({ upload: file.id, name, mediaType: file.mediaType, size: file.size });
  } catch (error) {
    if (error instanceof FileTooLarge) throw new Refusal(413, `the file has more than ${FILE_BYTES} bytes`);
    throw error;
  }
}

export async function sendFile({ keptFiles }: Context, id: string): Promise<HostedReceipt> {
  const file = await keptFiles.open(id);
  if (!file) throw new Refusal(404, "there is no such file");
  return { events: [], reply: fileReply(file) };
}

/** Prefix of a reference to an app's file, by its URL; an upload's reference is its id. */
const WEB = "web:";
export const webRef = (url: string): string => WEB + url;

/** Timeout of the app's answer with a file, ms. */
const FETCH_MS = 60_000;
const gone = (why: string) => new DeliveryError({ type: "reject", code: "general" }, why);

/** A customer's file. Throws DeliveryError. */
export async function openFile(context: Context, ref: string, signal: AbortSignal): Promise<OpenFile> {
  if (ref.startsWith(WEB)) return fetchFile(context, ref.slice(WEB.length), signal);
  const file = await context.keptFiles.open(ref);
  if (!file) throw gone("the file is no longer stored");
  return file;
}

async function fetchFile({ call, clock }: Context, url: string, signal: AbortSignal): Promise<OpenFile> {
  const what = "a file";
  const result = await call({ method: "GET", url, stream: true, maxBytes: FILE_BYTES, timeoutMs: FETCH_MS, signal });
  // The same words for every reason, so that nobody can map this server's network.
  if (result.type === "failure")
    throw new DeliveryError(
      failedCall("the app", result, what, true).verdict,
      "the file cannot be fetched from its address",
    );
  const { stream, status } = result;
  if (status === 200 && stream) {
    const file = await fetchedFile({ ...result, stream }, {});
    if (file) return file;
    throw foreignAnswer("the app", status, what, true);
  }
  await withBufferedBody(result);
  if (status === 404 || status === 410) throw gone("the file is not there any more");
  if (status === 429 || status === 503)
    throw new DeliveryError(
      { type: "retry", afterMs: retryAfterMs(result, clock.now()) },
      `the app: status ${status} (${what})`,
    );
  throw foreignAnswer("the app", status, what, true);
}
