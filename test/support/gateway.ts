import type { Answer, Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";

/** A request that reached the gateway. */
export interface Posted {
  path: string;
  at: number;
  /** A message's id at the messenger. */
  externalId?: string;
  chat?: string;
  body: { message?: { id?: number; external_id?: string }; error?: unknown; transport_message_id?: string };
}
type Trouble = { status: number; retryAfter?: number; body?: object } | "refused" | undefined;

/** A gateway that records requests and rejects duplicates; `trouble` chooses its current fault. */
export function recordingGateway(trouble: (now: number) => Trouble = () => undefined) {
  const requests: Posted[] = [];
  const taken: Posted[] = [];
  const known = new Set<string>();
  // Far from the ids that tests give to agents' messages.
  let last = 1_000_000;
  const call =
    (clock: Clock): Call =>
    async ({ url, body }) => {
      const read = JSON.parse(String(body)) as Posted["body"] & { external_chat_id?: string };
      const externalId = read.message?.external_id;
      const posted = {
        path: new URL(url).pathname,
        at: clock.now(),
        externalId,
        chat: read.external_chat_id,
        body: read,
      };
      const fault = trouble(clock.now());
      if (fault === "refused") return { type: "failure", sent: "no", reason: "refused", detail: "down" };
      requests.push(posted);
      if (fault) return answer(fault.status, fault.body ?? {}, fault.retryAfter);
      if (externalId && known.has(externalId)) return answer(400, { errors: ["external_id already exists"] });
      if (externalId) known.add(externalId);
      taken.push(posted);
      last += 1;
      return answer(200, { message_id: last, time: new Date(clock.now()).toISOString() });
    };
  return { call, requests, taken };
}

export const answer = (status: number, body: unknown, retryAfter?: number): Answer => ({
  type: "answer",
  status,
  headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
  bytes: new TextEncoder().encode(JSON.stringify(body)),
});
