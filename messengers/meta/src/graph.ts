import { confirmed, failedCall, foreignAnswer } from "gangway-messenger/answers";
import { type Answer, answerJson, type Call, type FormFile, retryAfterMs } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import * as z from "zod";
import { GraphError, type Row, refusalError } from "./verdict.ts";

/** Cap on the wait that Meta asks for, ms. */
const LONGEST_MS = 600_000;
const MINUTE_MS = 60_000;

/** Used shares of a limit, percent. */
const shares = {
  call_count: z.number().nullish(),
  total_cputime: z.number().nullish(),
  total_time: z.number().nullish(),
};
/** `X-Business-Use-Case-Usage`: by business, one record per use case; the wait is in minutes. */
const byBusiness = z.record(
  z.string(),
  z.array(z.object({ ...shares, estimated_time_to_regain_access: z.number().nullish() })),
);
type Usage = z.infer<typeof byBusiness>[string][number];

/** How long Meta asks to wait, ms: by a standard header, or by its own on usage. Undefined: it does not say. */
function waitAskedMs(answer: Answer, now: number): number | undefined {
  const standard = retryAfterMs(answer, now);
  if (standard !== undefined) return standard;
  const minutes = Math.max(0, ...usageIn(answer).map((each) => each.estimated_time_to_regain_access ?? 0));
  return minutes > 0 ? Math.min(LONGEST_MS, minutes * MINUTE_MS) : undefined;
}

function usageIn({ headers }: Answer): Usage[] {
  const header = headers["x-business-use-case-usage"];
  if (!header) return [];
  try {
    return Object.values(byBusiness.safeParse(JSON.parse(header)).data ?? {}).flat();
  } catch {
    return [];
  }
}

/** The largest share, percent; 0: Meta does not say. */
const usedIn = (answer: Answer): number =>
  Math.max(
    0,
    ...usageIn(answer).flatMap((each) => [each.call_count ?? 0, each.total_cputime ?? 0, each.total_time ?? 0]),
  );

/** Client of the Graph API for one login (developers.facebook.com/docs/graph-api). Throws DeliveryError. */
export interface Graph {
  call<Schema extends z.ZodType>(request: GraphRequest<Schema>, signal: AbortSignal): Promise<z.infer<Schema>>;
  /** Percentage of the business's allowance that was used at the last answer. */
  used(): number;
}

export interface GraphRequest<Schema extends z.ZodType> {
  method: "GET" | "POST" | "DELETE";
  /** After the version: `<id>/messages`. */
  path: string;
  query?: Record<string, string | undefined>;
  body?: object;
  /** A form with a file, in place of `body`. */
  form?: { fields?: Record<string, string>; files: FormFile[] };
  /** A file alone, in place of `body`; `size` in bytes. */
  bytes?: { stream: ReadableStream<Uint8Array>; size: number };
  /** In addition to the login's own parameters, which they override. */
  headers?: Record<string, string>;
  result: Schema;
  /** Names the call in errors. */
  what: string;
  /** Idempotent: a call with an unknown outcome may be repeated. Default: any but a POST. */
  repeatable?: boolean;
  /** The permission that it needs, if the login works without it. */
  needs?: string;
}

export interface GraphOptions {
  call: Call;
  clock: Clock;
  /** For errors: the brand. */
  network: string;
  /** With the version, without a trailing slash. */
  baseUrl: string;
  /** Such as `authorization`. */
  headers: Record<string, string>;
  /** Never quoted in an error. */
  secrets: string[];
  /** Meaning of the network's own codes. */
  table: readonly Row[];
  /** A harmless call that shows whether the token works; absent: a single refusal counts. */
  probe?: { path: string; query?: Record<string, string> };
  /** Verdict on a refusal that seemed to end the login although the probe succeeds. Default: a retry. */
  otherwise?(error: GraphError, signal: AbortSignal): Error | Promise<Error>;
  /** Replaces the refusal of a call that `needs` a permission, if only that permission is missing. */
  spare?(error: GraphError, needs: string, signal: AbortSignal): Promise<Error>;
}

const REQUEST_MS = 30_000;
const FILE_MS = 120_000;

/** The Graph API's own refusal, not a proxy's. */
const errorBody = z.object({
  error: z.object({
    message: z.string().nullish(),
    code: z.number(),
    error_subcode: z.number().nullish(),
    is_transient: z.boolean().nullish(),
    error_user_msg: z.string().nullish(),
    error_data: z.unknown().optional(),
  }),
});
const details = z.object({ details: z.string().min(1) });

export function graphClient(options: GraphOptions): Graph {
  let used = 0;
  const once: Graph["call"] = async (request, signal) => {
    const repeatable = request.repeatable ?? request.method !== "POST";
    const result = await options.call({
      method: request.method,
      url: urlOf(options.baseUrl, request),
      headers: { ...options.headers, ...typeOf(request), ...request.headers },
      body: request.form ?? request.bytes?.stream ?? (request.body && JSON.stringify(request.body)),
      timeoutMs: request.form || request.bytes ? FILE_MS : REQUEST_MS,
      signal,
    });
    if (result.type === "failure") throw failedCall(options.network, result, request.what, repeatable);
    used = usedIn(result);
    return read(options, request, result, repeatable);
  };
  const spared: Graph["call"] = async (request, signal) => {
    try {
      return await once(request, signal);
    } catch (error) {
      if (!options.spare || !request.needs || !(error instanceof GraphError)) throw error;
      throw await options.spare(error, request.needs, signal);
    }
  };
  const { probe } = options;
  if (!probe) return { call: spared, used: () => used };
  return {
    used: () => used,
    call: (request, signal) =>
      request.method === "GET" && request.path === probe.path
        ? spared(request, signal)
        : confirmed(() => spared(request, signal), {
            probe: () => once({ method: "GET", ...probe, result: z.unknown(), what: "a check of the token" }, signal),
            otherwise: (error) =>
              error instanceof GraphError ? (options.otherwise ?? onceMore)(error, signal) : error,
            signal,
          }),
  };
}

function typeOf({ body, bytes }: Pick<GraphRequest<z.ZodType>, "body" | "bytes">): Record<string, string> {
  if (bytes) return { "content-type": "application/octet-stream", "content-length": String(bytes.size) };
  return body ? { "content-type": "application/json" } : {};
}

/** The token works: the refusal concerned this call alone, and may pass. */
export const onceMore = (error: GraphError): DeliveryError =>
  new GraphError(error.refusal, { type: "retry" }, error.message);

function urlOf(baseUrl: string, { path, query = {} }: Pick<GraphRequest<z.ZodType>, "path" | "query">): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  return `${baseUrl}/${path}${search && `?${search}`}`;
}

function read<Schema extends z.ZodType>(
  options: GraphOptions,
  { result, what }: GraphRequest<Schema>,
  answer: Answer,
  repeatable: boolean,
): z.infer<Schema> {
  const refusal = refusalIn(options, answer);
  if (refusal) throw refusalError(options, refusal, what, repeatable);
  const isOk = answer.status >= 200 && answer.status < 300;
  if (!isOk) throw foreignAnswer(options.network, answer.status, what, repeatable);
  const json = answerJson(answer);
  const value = result.safeParse(json);
  // Text that is not JSON fits a result of which nothing is expected.
  if (json !== undefined && value.success) return value.data;
  // A proxy's page, or a new shape of Meta's: the call may have been carried out.
  const message = `${options.network} sent an unexpected answer (${what})`;
  throw new DeliveryError({ type: repeatable ? "retry" : "unsure" }, message);
}

/** The refusal in an answer; undefined if it contains none from Meta. */
export function refusalIn({ clock, secrets }: Pick<GraphOptions, "clock" | "secrets">, answer: Answer) {
  const error = errorBody.safeParse(answerJson(answer)).data?.error;
  if (!error) return undefined;
  const said = details.safeParse(error.error_data).data?.details ?? error.error_user_msg ?? error.message ?? "";
  return {
    status: answer.status,
    code: error.code,
    subcode: error.error_subcode ?? undefined,
    message: masked(said, secrets),
    isTransient: error.is_transient === true,
    afterMs: waitAskedMs(answer, clock.now()),
  };
}

/** A refusal may quote the token, ours or a malformed one. */
const TOKENS = /\b(?:EAA|IG)[\w-]{24,}|(?<=access_token=)[^&\s"']+/g;
const masked = (text: string, secrets: string[]): string =>
  secrets
    .filter((secret) => secret.length > 0)
    .reduce((safe, secret) => safe.replaceAll(secret, "…"), text)
    .replace(TOKENS, "…");
