import type { Context } from "hono";
import { Overload } from "../../domain/delivery/overload.ts";
import type { Log } from "../../log.ts";
import type { Env } from "../serving/env.ts";
import { BodyTooLarge, BodyTooSlow, clientAborted } from "./body.ts";
import { laterAnswer } from "./overload.ts";

/** A request of a messenger: what is known of it once it is answered. */
export interface DoorRequest {
  /** Headers of every answer. */
  headers: Record<string, string>;
  /** Whether the body has turned out to be too large. */
  exceeded(): boolean;
  /** Log fields. */
  about: { channel?: string; kind?: string };
}

export const tooLarge = (c: Context<Env>, { headers }: Pick<DoorRequest, "headers">): Response =>
  c.json({ error: { message: "The body is too large" } }, 413, { connection: "close", ...headers });

/** Of a request that could not be read or stored: the messenger repeats it. Throws when nobody waits for the answer. */
export function failedAnswer(c: Context<Env>, error: unknown, asked: DoorRequest, log: Log): Response {
  const { headers, about } = asked;
  if (asked.exceeded() || error instanceof BodyTooLarge) return tooLarge(c, asked);
  if (error instanceof BodyTooSlow)
    return c.json({ error: { message: "The body took too long" } }, 408, { connection: "close", ...headers });
  if (error instanceof Overload) return laterAnswer(c, error, log, about, headers);
  if (clientAborted(c, error)) throw error;
  log.error("messenger.not-stored", { ...about, error: String(error) });
  const body = { error: { message: "The message could not be stored; send it again" } };
  return c.json(body, 503, { "retry-after": "5", ...headers });
}
