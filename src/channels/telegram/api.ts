import * as z from "zod";
import { type Answer, answerJson, type Call, type FormFile } from "../../domain/call/call.ts";
import { withBufferedBody } from "../../domain/call/fetched.ts";
import { DeliveryError } from "../../domain/delivery/delivery.ts";
import type { OpenFile } from "../../domain/message/message.ts";
import { confirmed, failedCall } from "../answers.ts";
import { fetchedFile } from "../files.ts";
import { BotError, foreignError, refusalError } from "./verdict.ts";
import { FETCH_BYTES } from "./wire.ts";

/**
 * Client of the Bot API for one bot (core.telegram.org/bots/api). Throws DeliveryError. Messages of errors never contain
 * a URL, since it holds the token.
 */
export interface BotApi {
  /** Calls a method; resolves with its parsed result. */
  call<Schema extends z.ZodType>(request: BotRequest<Schema>, signal: AbortSignal): Promise<z.infer<Schema>>;
  openFile(fileId: string, signal: AbortSignal): Promise<OpenFile>;
}

export interface BotRequest<Schema extends z.ZodType> {
  method: string;
  /** Objects and arrays are sent as JSON; undefined values are omitted. */
  params?: Record<string, unknown>;
  /** `params` refers to them as `attach://<field>`. */
  files?: FormFile[];
  result: Schema;
  /** Idempotent: a call with an unknown outcome may be repeated. */
  repeatable?: boolean;
  /** Default 30 s, with files 120 s. */
  timeoutMs?: number;
  /** A long poll. */
  waiting?: boolean;
  /** Largest response, bytes; default 1 MiB. */
  maxBytes?: number;
}

const REQUEST_MS = 30_000;
const FILE_MS = 120_000;
/** For a file these mean that it is gone; they say nothing about the token. */
const GONE = [404, 410];
/** Path segments that would change the path: empty, `.` and `..`. */
const UNSAFE_SEGMENT = /^\.{0,2}$/;

/** A response of the Bot API itself, not of a proxy before it (core.telegram.org/bots/api#making-requests). */
const answerBody = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), result: z.unknown().refine((result) => result !== undefined) }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string(),
    parameters: z
      .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.union([z.number(), z.string()]).optional() })
      .nullish(),
  }),
]);
const file = z.object({ file_path: z.string().optional(), file_size: z.number().optional() });

export function botApi({ call, apiUrl, token }: { call: Call; apiUrl: string; token: string }): BotApi {
  const callOnce: BotApi["call"] = async (request, signal) => {
    const { method, params = {}, files = [], repeatable = false } = request;
    const body = files.length > 0 ? { fields: asText(params), files } : JSON.stringify(params);
    const result = await call({
      method: "POST",
      url: `${apiUrl}/bot${token}/${method}`,
      headers: files.length > 0 ? {} : { "content-type": "application/json" },
      body,
      timeoutMs: request.timeoutMs ?? (files.length > 0 ? FILE_MS : REQUEST_MS),
      waiting: request.waiting,
      maxBytes: request.maxBytes,
      signal,
    });
    if (result.type === "failure") throw failedCall("Telegram", result, method, repeatable);
    return read(request, result, repeatable, token);
  };
  const callMethod = confirming(callOnce);
  return {
    call: callMethod,
    async openFile(fileId, signal) {
      const { file_path: path, file_size: knownSize } = await callMethod(
        { method: "getFile", params: { file_id: fileId }, result: file, repeatable: true },
        signal,
      );
      const segments = path?.split("/") ?? [""];
      if (segments.some((segment) => UNSAFE_SEGMENT.test(segment))) throw refused("Telegram gave no path for the file");
      const url = `${apiUrl}/file/bot${token}/${segments.map(encodeURIComponent).join("/")}`;
      const bytes = await call({ method: "GET", url, timeoutMs: FILE_MS, maxBytes: FETCH_BYTES, stream: true, signal });
      // Compressed without our asking: not a file from Telegram.
      if (bytes.type === "failure" && bytes.reason === "too-large") throw foreignError("a file", 200, true);
      if (bytes.type === "failure") throw new DeliveryError({ type: "retry" }, `Telegram: ${bytes.reason} (a file)`);
      if (bytes.status !== 200 || !bytes.stream) throw fileRefusal(await withBufferedBody(bytes));
      const found = await fetchedFile({ ...bytes, stream: bytes.stream }, { name: segments.at(-1), size: knownSize });
      if (!found) throw foreignError("a file", 200, true);
      return found;
    },
  };
}

/** The fields of a form. */
function asText(params: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

function fileRefusal(answer: Answer): DeliveryError {
  const body = parsed(answer);
  if (!body || body.ok) return foreignError("a file", answer.status, true);
  if (GONE.includes(body.error_code)) return refused("Telegram no longer has the file");
  return refusalError("a file", { status: body.error_code, description: "the file is not there" }, true);
}

/** A harmless call that shows whether the token works. */
const PROBE = { method: "getMe", result: z.unknown(), repeatable: true };

/** Probes before it reports a dead token: a single 401 or 404 may concern the call alone. */
function confirming(call: BotApi["call"]): BotApi["call"] {
  return (request, signal) => {
    if (request.method === PROBE.method) return call(request, signal);
    return confirmed(() => call(request, signal), {
      probe: () => call(PROBE, signal),
      otherwise: (error) => tokenIsGood(request.method, error),
      signal,
    });
  };
}

function tokenIsGood(method: string, error: DeliveryError): DeliveryError {
  const status = error instanceof BotError ? error.refusal.status : undefined;
  if (status === 404) return refused(`Telegram has no method ${method}`);
  return new DeliveryError({ type: "retry" }, `Telegram refused ${method} once (${status})`);
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

function read<Schema extends z.ZodType>(
  { method, result }: BotRequest<Schema>,
  answer: Answer,
  repeatable: boolean,
  token: string,
): z.infer<Schema> {
  const body = parsed(answer);
  if (!body) throw foreignError(method, answer.status, repeatable);
  if (!body.ok) {
    const { error_code: status, parameters } = body;
    const description = masked(body.description, token);
    const movedTo = parameters?.migrate_to_chat_id;
    const hints = { retryAfter: parameters?.retry_after, movedTo: movedTo === undefined ? undefined : String(movedTo) };
    throw refusalError(method, { status, description, ...hints }, repeatable);
  }
  const value = result.safeParse(body.result);
  if (value.success) return value.data;
  // The call succeeded, but its result cannot be read.
  throw new DeliveryError(
    { type: repeatable ? "retry" : "unsure" },
    `Telegram sent an unexpected result for ${method}`,
  );
}

/** A refusal may quote the request URL, which holds the token. */
const masked = (description: string, token: string): string =>
  [token, token.split(":")[1] ?? ""]
    .filter(Boolean)
    .reduce((text, secret) => text.replaceAll(secret, "…"), description);

const parsed = (answer: Answer): z.infer<typeof answerBody> | undefined =>
  answerBody.safeParse(answerJson(answer)).data;
