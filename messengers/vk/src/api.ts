import { confirmed, failedCall, foreignAnswer } from "gangway-messenger/answers";
import { answerJson, type FormFile } from "gangway-messenger/call";
import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import * as z from "zod";
import { refusalError, VkError } from "./verdict.ts";
import { API_VERSION, type Context } from "./wire.ts";

export interface ApiRequest<Schema extends z.ZodType> {
  /** Such as `messages.send`. */
  method: string;
  /** Undefined values are omitted; true is sent as 1. */
  params?: Record<string, string | number | boolean | undefined>;
  result: Schema;
  /** Whether repeating it is harmless. Default: all but `messages.send`. */
  repeatable?: boolean;
  /** Largest answer, bytes; default 1 MiB. */
  maxBytes?: number;
}
/** Client of the API for one community (dev.vk.com/api/api-requests). Throws DeliveryError. */
export interface Api {
  call<Schema extends z.ZodType>(request: ApiRequest<Schema>, signal: AbortSignal): Promise<z.infer<Schema>>;
  /** Posts one file to a URL given by the API; resolves with its answer as JSON. */
  upload(url: string, file: FormFile, signal: AbortSignal): Promise<unknown>;
}

const REQUEST_MS = 30_000;
const FILE_MS = 120_000;
/** Too many calls in this second: how often a harmless one is repeated, and the wait before each, ms. */
const [WAITS, SECOND_MS] = [5, 1_000];
const TOO_MANY = 6;

/** VK's own error, always with HTTP 200. */
const answerBody = z.union([
  z.object({ error: z.object({ error_code: z.int(), error_msg: z.string().nullish() }) }),
  z.object({ response: z.unknown().refine((response) => response !== undefined) }),
]);

const asText = (params: NonNullable<ApiRequest<z.ZodType>["params"]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "boolean" ? String(Number(value)) : String(value)]],
    ),
  );

/** It would be too large the next time, too. */
const tooLarge = (method: string) =>
  new DeliveryError({ type: "reject", code: "general" }, `VK's answer is too large (${method})`);

/** A harmless call that shows whether the key works. */
const PROBE = { method: "groups.getById", result: z.unknown() };

export function vkApi(context: Context): Api {
  const { call, settings, server } = context;
  const ask: Api["call"] = async ({ method, params = {}, result, repeatable = true, maxBytes }, signal) => {
    const body = new URLSearchParams({ ...asText(params), access_token: settings.token, v: API_VERSION }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const url = `${server.VK_API_URL}/method/${method}`;
    const answer = await call({ method: "POST", url, headers, body, timeoutMs: REQUEST_MS, maxBytes, signal });
    if (answer.type === "failure" && answer.reason === "too-large" && repeatable) throw tooLarge(method);
    if (answer.type === "failure") throw failedCall("VK", answer, method, repeatable);
    const said = answerBody.safeParse(answerJson(answer)).data;
    if (!said) throw foreignAnswer("VK", answer.status, method, repeatable);
    if ("error" in said) {
      const { error_code: code, error_msg: words } = said.error;
      throw refusalError({ code, said: (words ?? "").replaceAll(settings.token, "…") }, method, repeatable);
    }
    const value = result.safeParse(said.response);
    if (value.success) return value.data;
    // The call was carried out, but its answer is not as documented.
    throw new DeliveryError({ type: repeatable ? "retry" : "unsure" }, `VK sent an unexpected result (${method})`);
  };
  const patient: Api["call"] = async (request, signal) => {
    for (let waits = 0; ; waits++)
      try {
        return await ask(request, signal);
      } catch (error) {
        const mayWait = request.repeatable !== false && waits < WAITS && !signal.aborted;
        if (!(error instanceof VkError) || error.code !== TOO_MANY || !mayWait) throw error;
        await pause(context.clock, SECOND_MS, signal);
      }
  };
  return {
    call: (request, signal) =>
      request.method === PROBE.method
        ? patient(request, signal)
        : confirmed(() => patient(request, signal), {
            probe: () => ask(PROBE, signal),
            otherwise: () => new DeliveryError({ type: "retry" }, `VK refused the access key once (${request.method})`),
            signal,
          }),
    async upload(url, file, signal) {
      const answer = await call({ method: "POST", url, body: { files: [file] }, timeoutMs: FILE_MS, signal });
      if (answer.type === "failure") throw failedCall("VK", answer, "an upload", true);
      const json = answerJson(answer);
      if (json === undefined) throw foreignAnswer("VK", answer.status, "an upload", true);
      return json;
    },
  };
}
