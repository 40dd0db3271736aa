import { z } from "zod";
import { type Answer, answerText, type Call, type FormFile } from "../../domain/call.ts";
import { DeliveryError } from "../../domain/delivery.ts";
import type { OpenFile } from "../../domain/message.ts";
import { refusalError } from "./verdict.ts";
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

/** The Bot API's own address. */
export const PUBLIC_API = "https://api.telegram.org";
const REQUEST_MS = 30_000;
const FILE_MS = 120_000;
/** At a file's address these say that the file is gone, and nothing of the token. */
const GONE = [404, 410];
/** A segment of a path that would lead elsewhere. */
const NOWHERE = /^\.{0,2}$/;

const answerBody = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  description: z.string().optional(),
  parameters: z
    .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.union([z.number(), z.string()]).optional() })
    .nullish(),
});
const file = z.object({ file_path: z.string().optional(), file_size: z.number().optional() });

export function botApi({ call, apiUrl, token }: { call: Call; apiUrl: string; token: string }): BotApi {
  const ask: BotApi["ask"] = async (request, signal) => {
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
    if (result.type === "failure") {
      if (result.reason === "blocked") throw refused(`Telegram's address is not allowed: ${result.detail}`);
      if (result.reason === "source-too-large") throw refused("the file is larger than it was said to be");
      const surely = result.sent === "no" || repeatable;
      throw new DeliveryError({ type: surely ? "retry" : "unsure" }, `Telegram: ${result.reason} (${method})`);
    }
    return read(request, result, repeatable, token);
  };
  return {
    ask,
    async openFile(fileId, signal) {
      const { file_path: path } = await ask(
        { method: "getFile", params: { file_id: fileId }, result: file, repeatable: true },
        signal,
      );
      const segments = path?.split("/") ?? [""];
      if (segments.some((segment) => NOWHERE.test(segment))) throw refused("Telegram gave no path for the file");
      const url = `${apiUrl}/file/bot${token}/${segments.map(encodeURIComponent).join("/")}`;
      const bytes = await call({ method: "GET", url, timeoutMs: FILE_MS, maxBytes: FETCH_BYTES, stream: true, signal });
      if (bytes.type === "failure" && bytes.reason === "too-large") throw refused("the file is too large");
      if (bytes.type === "failure") throw new DeliveryError({ type: "retry" }, `Telegram: ${bytes.reason} (a file)`);
      if (GONE.includes(bytes.status)) throw refused("Telegram has the file no more");
      if (bytes.status !== 200 || !bytes.stream)
        throw refusalError("a file", { status: bytes.status, description: "the file is not there" }, true);
      const size = Number(bytes.headers["content-length"]);
      const mediaType = bytes.headers["content-type"] ?? "application/octet-stream";
      return { body: bytes.stream, name: segments.at(-1), mediaType, size: size > 0 ? size : undefined };
    },
  };
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

function read<Schema extends z.ZodType>(
  { method, result }: BotRequest<Schema>,
  answer: Answer,
  repeatable: boolean,
  token: string,
): z.infer<Schema> {
  const body = parsed(answer);
  if (!body) {
    // A page of something between us and Telegram: what it says of a token is nothing.
    const status = answer.status === 504 ? 504 : 502;
    if (answer.status >= 400) throw refusalError(method, { status, description: "" }, repeatable);
    throw new DeliveryError({ type: repeatable ? "retry" : "unsure" }, `Telegram answered ${method} with no JSON`);
  }
  if (!body.ok) {
    const { error_code: status = answer.status, parameters } = body;
    const description = masked(body.description ?? "", token);
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

function parsed(answer: Answer): z.infer<typeof answerBody> | undefined {
  try {
    return answerBody.safeParse(JSON.parse(answerText(answer))).data;
  } catch {
    return undefined;
  }
}
