import { confirmed, failedCall, foreignAnswer } from "gangway-messenger/answers";
import { answerJson, retryAfterMs } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelContext } from "gangway-messenger/port";
import { z } from "zod";
import { refusalError } from "./verdict.ts";
import type { Settings } from "./wire.ts";

const TIMEOUT_MS = 30_000;

/** The network's own answer, not a proxy's: a result, or a refusal with its code. */
const answerBody = z.union([
  z.object({ result: z.unknown().refine((result) => result !== undefined) }),
  z.object({ error: z.object({ code: z.string(), message: z.string().nullish() }) }),
]);

interface ApiRequest<Schema extends z.ZodType> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: object;
  result: Schema;
  /** Whether repeating it is harmless. Default: all but POST. */
  repeatable?: boolean;
}
/** The result of a call, parsed by its schema. Throws DeliveryError. */
export type Api = <Schema extends z.ZodType>(
  request: ApiRequest<Schema>,
  signal: AbortSignal,
) => Promise<z.infer<Schema>>;

/** A harmless call that proves the token. */
const PROBE = { method: "GET" as const, path: "/v1/me", result: z.unknown() };

type Context = Pick<ChannelContext<Settings>, "call" | "clock" | "settings">;

export function pagerApi({ call, clock, settings }: Context): Api {
  const ask: Api = async ({ method, path, body, result, repeatable = method !== "POST" }, signal) => {
    const what = `${method} ${path}`;
    const answer = await call({
      method,
      url: `${settings.apiUrl}${path}`,
      headers: { authorization: `Bearer ${settings.token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    if (answer.type === "failure") throw failedCall("Pager", answer, what, repeatable);
    const { status } = answer;
    const said = answerBody.safeParse(answerJson(answer)).data;
    if (!said) throw foreignAnswer("Pager", status, what, repeatable);
    if ("error" in said)
      throw refusalError({ status, code: said.error.code, retryAfterMs: retryAfterMs(answer, clock.now()) }, what);
    const value = result.safeParse(said.result);
    if (value.success) return value.data;
    // The call was carried out, but its answer is not as documented.
    throw new DeliveryError({ type: repeatable ? "retry" : "unsure" }, `Pager: unknown result (${what})`);
  };
  return (request, signal) => {
    if (request.path === PROBE.path) return ask(request, signal);
    return confirmed(() => ask(request, signal), {
      probe: () => ask(PROBE, signal),
      otherwise: () => new DeliveryError({ type: "retry" }, "Pager refused the token once"),
      signal,
    });
  };
}
