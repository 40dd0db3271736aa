import { confirmed, failedCall, foreignAnswer } from "gangway-messenger/answers";
import { type Answer, answerText, type Call, type FormFile, retryAfterMs } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import * as z from "zod";
import { parseExactly } from "./exact-json.ts";
import { refusalError, rejected } from "./verdict.ts";

interface ApiRequest<Schema extends z.ZodType> {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the API's address, without a leading slash. */
  path: string;
  query?: Record<string, string>;
  body?: object;
  result: Schema;
  /** Names the call in errors. */
  what: string;
  /** Whether repeating it is harmless. Default: all but POST. */
  repeatable?: boolean;
  timeoutMs?: number;
  /** A long poll. */
  waiting?: boolean;
  /** Largest answer, bytes; default 1 MiB. */
  maxBytes?: number;
}

/** Client of MAX's Bot API for one bot (dev.max.ru/docs-api). Throws DeliveryError. */
export interface MaxApi {
  ask<Schema extends z.ZodType>(request: ApiRequest<Schema>, signal: AbortSignal): Promise<z.infer<Schema>>;
  /**
   * Posts a file to the URL from POST /uploads. Returns the answer's text, which may be JSON or XML. Undefined:
   * refused.
   */
  upload(url: string, file: FormFile, signal: AbortSignal): Promise<string | undefined>;
}

const CALL_MS = 30_000;
const UPLOAD_MS = 120_000;
/** Statuses of an upload's host: it does not accept this file. */
const NOT_TAKEN = [400, 413, 415];
/** First and longest wait after 429s in a row, ms: MAX documents no `Retry-After`. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** MAX's code for a refusal. */
const refusalBody = z.object({ code: z.string(), message: z.string().nullish() });
/** The answer of calls that change something. */
const changed = z.object({ success: z.boolean(), message: z.string().nullish() });

/** A harmless call that proves the token. */
const PROBE = { method: "GET", path: "me", result: z.object({ user_id: z.unknown() }), what: "the bot" } as const;

interface ApiOptions {
  call: Call;
  clock: Pick<Clock, "now">;
  apiUrl: string;
  token: string;
}

export function maxApi({ call, clock, apiUrl, token }: ApiOptions): MaxApi {
  // Number of 429s in a row: the wait doubles.
  let refusedInARow = 0;
  const waitOf = (answer: Answer) => {
    if (answer.status !== 429) return undefined;
    refusedInARow += 1;
    const doubled = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (refusedInARow - 1));
    return retryAfterMs(answer, clock.now()) ?? doubled;
  };
  const once: MaxApi["ask"] = async (request, signal) => {
    const { method, path, query = {}, body, result, what, repeatable = method !== "POST" } = request;
    const search = new URLSearchParams(query).toString();
    const answer = await call({
      method,
      url: `${apiUrl}/${path}${search && `?${search}`}`,
      headers: { authorization: token, ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
      timeoutMs: request.timeoutMs ?? CALL_MS,
      waiting: request.waiting,
      maxBytes: request.maxBytes,
      signal,
    });
    if (answer.type === "failure") throw failedCall("MAX", answer, what, repeatable);
    const { status } = answer;
    const json = jsonOf(answer);
    if (status !== 200) {
      const said = refusalBody.safeParse(json).data;
      if (!said || status < 400) throw foreignAnswer("MAX", status, what, repeatable);
      const message = masked(said.message ?? "", token);
      const refusal = { status, code: said.code, message, retryAfterMs: waitOf(answer) };
      throw refusalError(refusal, { what, repeatable, sends: method === "POST" && path === "messages" });
    }
    refusedInARow = 0;
    const value = result.safeParse(json);
    if (value.success) return value.data;
    if (typeof json !== "object" || json === null) throw foreignAnswer("MAX", status, what, repeatable);
    // The call was carried out, but its answer is not as documented.
    throw new DeliveryError({ type: repeatable ? "retry" : "unsure" }, `MAX sent an unexpected answer (${what})`);
  };
  return {
    ask: (request, signal) => {
      if (request.path === PROBE.path) return once(request, signal);
      return confirmed(() => once(request, signal), {
        probe: () => once(PROBE, signal),
        otherwise: () => new DeliveryError({ type: "retry" }, "MAX refused the token once"),
        signal,
      });
    },
    async upload(url, file, signal) {
      // The host is another one: it must not see the token.
      const answer = await call({ method: "POST", url, body: { files: [file] }, timeoutMs: UPLOAD_MS, signal });
      if (answer.type === "failure") throw failedCall("MAX", answer, "an upload", true);
      if (NOT_TAKEN.includes(answer.status)) return undefined;
      if (answer.status !== 200) throw foreignAnswer("MAX", answer.status, "an upload", true);
      return answerText(answer);
    },
  };
}

/** Makes a call whose answer says only whether it succeeded. */
export async function change(
  api: MaxApi,
  request: Omit<ApiRequest<z.ZodType>, "result">,
  signal: AbortSignal,
): Promise<void> {
  const { success, message } = await api.ask({ ...request, result: changed }, signal);
  if (!success) throw rejected(`MAX: ${message || "not done"} (${request.what})`);
}

function jsonOf(answer: Answer): unknown {
  try {
    return parseExactly(answerText(answer));
  } catch {
    return undefined;
  }
}

/** A refusal may quote the token. */
const masked = (text: string, token: string): string => text.replaceAll(token, "…");
