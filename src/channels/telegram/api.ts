import { z } from "zod";
import { type Answer, answerJson, type Call, type FormFile } from "../../domain/call.ts";
import { DeliveryError } from "../../domain/delivery.ts";
import { withBufferedBody } from "../../domain/fetched.ts";
import type { OpenFile } from "../../domain/message.ts";
import { confirmed, failedCall } from "../answers.ts";
import { fetchedFile } from "../files.ts";
import { BotError, refusalError, strayError } from "./verdict.ts";
import { FETCH_BYTES } from "./wire.ts";

/** One bot at the Bot API (core.telegram.org/bots/api). Every method throws DeliveryError; no address is ever told, since the token is in it. */
export interface BotApi {
  /** The result of a method, as its schema reads it. */
  ask<Schema extends z.ZodType>(request: BotRequest<Schema>, signal: AbortSignal): Promise<z.infer<Schema>>;
  openFile(fileId: string, signal: AbortSignal): Promise<OpenFile>;
}

export interface BotRequest<Schema extends z.ZodType> {
  method: string;
  /** Objects and lists are sent as JSON; what is undefined is left out. */
  params?: Record<string, unknown>;
  /** Named in `params` as `attach://<field>`. */
  files?: FormFile[];
  result: Schema;
  /** Carried out twice it is the same as once. */
  repeatable?: boolean;
  /** Default 30 s, with files 120 s. */
  timeoutMs?: number;
  /** A long poll. */
  waiting?: boolean;
  /** Most bytes of the answer; default 1 MiB. */
  maxBytes?: number;
}

const REQUEST_MS = 30_000;
const FILE_MS = 120_000;
/** At a file's address these say that the file is gone, and nothing of the token. */
const GONE = [404, 410];
/** A segment of a path that would lead elsewhere. */
const NOWHERE = /^\.{0,2}$/;

/** The Bot API's own word, and nobody else's: a result, or a refusal with its code (core.telegram.org/bots/api#making-requests). */
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
  const askOnce: BotApi["ask"] = async (request, signal) => {
    const { method, params = {}, files = [], repeatable = false } = request;
    const fields = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
    const asText = ([name, value]: [string, unknown]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ];
    const body =
      files.length > 0
        ? { fields: Object.fromEntries(fields.map(asText)), files }
        : JSON.stringify(Object.fromEntries(fields));
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
  const ask = confirming(askOnce);
  return {
    ask,
    async openFile(fileId, signal) {
      const { file_path: path, file_size: told } = await ask(
        { method: "getFile", params: { file_id: fileId }, result: file, repeatable: true },
        signal,
      );
      const segments = path?.split("/") ?? [""];
      if (segments.some((segment) => NOWHERE.test(segment))) throw refused("Telegram gave no path for the file");
      const url = `${apiUrl}/file/bot${token}/${segments.map(encodeURIComponent).join("/")}`;
      const bytes = await call({ method: "GET", url, timeoutMs: FILE_MS, maxBytes: FETCH_BYTES, stream: true, signal });
      // It is compressed, although nobody asked for that: no file of Telegram's.
      if (bytes.type === "failure" && bytes.reason === "too-large") throw strayError("a file", 200, true);
      if (bytes.type === "failure") throw new DeliveryError({ type: "retry" }, `Telegram: ${bytes.reason} (a file)`);
      if (bytes.status !== 200 || !bytes.stream) throw fileRefusal(await withBufferedBody(bytes));
      const found = await fetchedFile({ ...bytes, stream: bytes.stream }, { name: segments.at(-1), size: told });
      if (!found) throw strayError("a file", 200, true);
      return found;
    },
  };
}

function fileRefusal(answer: Answer): DeliveryError {
  const body = parsed(answer);
  if (!body || body.ok) return strayError("a file", answer.status, true);
  if (GONE.includes(body.error_code)) return refused("Telegram has the file no more");
  return refusalError("a file", { status: body.error_code, description: "the file is not there" }, true);
}

/** Proves a token. */
const PROBE = { method: "getMe", result: z.unknown(), repeatable: true };

function confirming(ask: BotApi["ask"]): BotApi["ask"] {
  return async (request, signal) => {
    if (request.method === PROBE.method) return ask(request, signal);
    return confirmed(() => ask(request, signal), {
      probe: () => ask(PROBE, signal),
      otherwise: (error) => tokenIsGood(request.method, error),
      signal,
    });
  };
}

function tokenIsGood(method: string, error: DeliveryError): DeliveryError {
  const status = error instanceof BotError ? error.refusal.status : undefined;
  if (status === 404) return refused(`Telegram knows no method ${method}`);
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
  if (!body) throw strayError(method, answer.status, repeatable);
  if (!body.ok) {
    const { error_code: status, parameters } = body;
    const description = masked(body.description, token);
    const movedTo = parameters?.migrate_to_chat_id;
    const wish = { retryAfter: parameters?.retry_after, movedTo: movedTo === undefined ? undefined : String(movedTo) };
    throw refusalError(method, { status, description, ...wish }, repeatable);
  }
  const value = result.safeParse(body.result);
  if (value.success) return value.data;
  // It was carried out, but how is not told as agreed.
  throw new DeliveryError(
    { type: repeatable ? "retry" : "unsure" },
    `Telegram answered ${method} otherwise than agreed`,
  );
}

/** A refusal may repeat what it was asked, and the token is in the address. */
const masked = (said: string, token: string): string =>
  [token, token.split(":")[1] ?? ""].filter(Boolean).reduce((words, secret) => words.replaceAll(secret, "…"), said);

const parsed = (answer: Answer): z.infer<typeof answerBody> | undefined =>
  answerBody.safeParse(answerJson(answer)).data;
