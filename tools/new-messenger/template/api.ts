import { z } from "zod";
import { answerText, type Call, retryAfterMs } from "../../../src/domain/call.ts";
import type { Clock } from "../../../src/domain/clock.ts";
import { DeliveryError } from "../../../src/domain/delivery.ts";
import { refusalError, strayError } from "./verdict.ts";

/** The network's own address (write me). */
const API = "https://api.acme.example";
const TIMEOUT_MS = 30_000;

/** The network's own word, and nobody else's: a result, or a refusal with its code (write me: its shape). */
const answerBody = z.union([
  z.object({ result: z.unknown() }),
  z.object({ error: z.object({ code: z.string(), message: z.string().nullish() }) }),
]);

export interface Api {
  /** The result as its schema reads it. Throws DeliveryError. */
  post<Schema extends z.ZodType>(
    path: string,
    body: object,
    result: Schema,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>>;
}

export function acmeApi({ call, clock, token }: { call: Call; clock: Clock; token: string }): Api {
  return {
    async post(path, body, result, signal) {
      const answer = await call({
        method: "POST",
        url: `${API}${path}`,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      if (answer.type === "failure")
        throw new DeliveryError({ type: answer.sent === "no" ? "retry" : "unsure" }, `Acme: ${answer.reason}`);
      const { status } = answer;
      const said = parsed(answerText(answer));
      if (!said) throw strayError(status);
      if ("error" in said)
        throw refusalError({ status, code: said.error.code, retryAfterMs: retryAfterMs(answer, clock.now()) });
      const value = result.safeParse(said.result);
      if (value.success) return value.data;
      throw new DeliveryError({ type: "unsure" }, "Acme answered otherwise than agreed");
    },
  };
}

function parsed(text: string): z.infer<typeof answerBody> | undefined {
  try {
    return answerBody.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
