import { confirmed, failedCall, foreignAnswer } from "gangway-messenger/answers";
import { type Answer, answerJson, type FormFile, retryAfterMs } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { cutText } from "gangway-messenger/text";
import * as z from "zod";
import { createGrants, type Grant } from "./grants.ts";
import { sharedCall } from "./shared.ts";
import { AvitoError, refusalError, refusedAlone } from "./verdict.ts";
import { apiUrlOf, type Context, type Self, self } from "./wire.ts";

export interface AvitoRequest<Schema extends z.ZodType> {
  method: "GET" | "POST";
  path: string;
  query?: Record<string, string>;
  body?: object;
  /** A form with files, in place of `body`. */
  files?: FormFile[];
  result: Schema;
  /** Names the call in errors. */
  what: string;
  /** Whether repeating it is harmless. Default: a GET. */
  repeatable?: boolean;
}

/** Client of the API for the account of the settings. Throws DeliveryError. */
export interface AvitoApi {
  call<Schema extends z.ZodType>(request: AvitoRequest<Schema>, signal: AbortSignal): Promise<z.infer<Schema>>;
  /** The account's id; asked for once. */
  self(signal: AbortSignal): Promise<Self>;
  /** The account's id, if it has been asked for. */
  ownId(): string | undefined;
  /** Share of a minute's calls that was left at the last answer, 0 to 1; 1: Avito does not say. */
  left(): number;
}

/** Longest wait for an answer, ms. */
export const REQUEST_MS = 30_000;
const FILE_MS = 120_000;
/** Maximum length of Avito's words that is kept, characters. */
const MAX_SAID = 200;

/**
 * A refusal in one of Avito's forms: its own, or that of the gateway before it. OAuth's form, which a proxy may also
 * use, counts for the token call only.
 */
const refusalBody = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ result: z.object({ message: z.string() }) }).transform(({ result }) => result.message),
  z.object({ code: z.number(), message: z.string() }).transform(({ message }) => message),
]);

const SELF = { method: "GET", path: "/core/v1/accounts/self", result: self, what: "the account" } as const;
/** A harmless call that needs the token and the plan. */
const PROBE = {
  method: "POST",
  path: "/messenger/v1/subscriptions",
  result: z.unknown(),
  what: "the subscriptions",
  repeatable: true,
} as const;

export function avitoApi(context: Context): AvitoApi {
  const grants = createGrants(context);
  const shared = sharedCall<Self>(context, SELF.what, 2 * REQUEST_MS);
  let [own, left]: [Self | undefined, number] = [undefined, 1];
  const once: (grant: Grant, ...asked: Parameters<AvitoApi["call"]>) => Promise<never> = async (
    grant,
    request,
    signal,
  ) => {
    const { method, files, body, repeatable = method === "GET" } = request;
    const answer = await context.call({
      method,
      url: urlOf(context, request),
      headers: {
        authorization: `Bearer ${grant.token}`,
        ...(body && { "content-type": "application/json" }),
      },
      body: files ? { files } : body && JSON.stringify(body),
      timeoutMs: files ? FILE_MS : REQUEST_MS,
      signal,
    });
    if (answer.type === "failure") throw failedCall("Avito", answer, request.what, repeatable);
    left = leftIn(answer) ?? left;
    return read(context, request, { answer, grant, repeatable }) as never;
  };
  const confirm: typeof once = (grant, request, signal) =>
    confirmed(() => once(grant, request, signal), {
      probe: () => once(grant, PROBE, signal),
      otherwise: (last) => (isDead(last) ? refusedAlone(last) : last),
      signal,
    });
  const call: AvitoApi["call"] = async (request, signal) => {
    const grant = await grants.current(signal);
    try {
      return await once(grant, request, signal);
    } catch (error) {
      if (!isDead(error) || signal.aborted) throw error;
      const next = isForToken(error) ? await grants.inPlaceOf(grant, signal) : grant;
      try {
        return await confirm(next, request, signal);
      } catch (second) {
        if (next !== grant || !isForToken(second) || signal.aborted) throw second;
        // Even a young token may have been ended by another process.
        return confirm(await grants.afterDeath(grant, signal), request, signal);
      }
    }
  };
  return {
    call,
    async self(signal) {
      signal.throwIfAborted();
      own ??= await shared((long) => call(SELF, long), signal);
      return own;
    },
    ownId: () => own?.id,
    left: () => left,
  };
}

const isDead = (error: unknown): error is AvitoError =>
  error instanceof AvitoError && error.verdict.type === "reconnect";

/** A plan does not renew itself. */
const isForToken = (error: unknown): boolean => isDead(error) && error.refusal.status !== 402;

function urlOf(context: Context, { path, query = {} }: Pick<AvitoRequest<z.ZodType>, "path" | "query">): string {
  const search = new URLSearchParams(query).toString();
  return `${apiUrlOf(context)}${path}${search && `?${search}`}`;
}

/** Calls are counted per minute (the document's headers). */
function leftIn({ headers }: Answer): number | undefined {
  const [limit, remaining] = ["x-ratelimit-limit", "x-ratelimit-remaining"].map((name) => Number(headers[name]));
  return limit && remaining !== undefined && remaining >= 0 ? Math.min(1, remaining / limit) : undefined;
}

interface Answered {
  answer: Answer;
  grant: Grant;
  repeatable: boolean;
}

function read<Schema extends z.ZodType>(
  { clock, settings }: Context,
  { path, result, what }: AvitoRequest<Schema>,
  { answer, grant, repeatable }: Answered,
): z.infer<Schema> {
  const { status } = answer;
  const json = answerJson(answer);
  const isOk = status >= 200 && status < 300;
  if (!isOk) {
    const words = refusalBody.safeParse(json).data;
    if (words === undefined) throw foreignAnswer("Avito", status, what, repeatable);
    const wishMs = retryAfterMs(answer, clock.now());
    const said = plain(words, [grant.token, settings.avitoClientSecret]);
    throw refusalError({ status, said, isOfChat: path.includes("/chats/"), retryAfterMs: wishMs }, what, repeatable);
  }
  const value = result.safeParse(json);
  // Text that is not JSON fits a result of which nothing is expected.
  if (json !== undefined && value.success) return value.data;
  throw new DeliveryError({ type: repeatable ? "retry" : "unsure" }, `Avito sent an unexpected answer (${what})`);
}

/** Avito's words, made safe for pages and logs. */
const plain = (words: string, secrets: string[]): string =>
  cutText(secrets.reduce((safe, secret) => safe.replaceAll(secret, "…"), words).replace(/\p{Cc}+/gu, " "), MAX_SAID);
