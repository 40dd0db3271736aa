import { randomBytes } from "node:crypto";
import type { Clock } from "gangway-messenger/clock";
import { sameSecret } from "gangway-messenger/ids";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { createRateLimit } from "../doors/rate-limit.ts";

/** Who has shown the console's token. In memory: after a restart one signs in again. */
export interface SignIns {
  /** Whether it is the token. */
  check(token: string): "right" | "wrong" | "too many";
  start(c: Context): void;
  /** The form token of the request's session; undefined without one. */
  formToken(c: Context): string | undefined;
  end(c: Context): void;
}

const NAME = "gangway-console";
const HOUR_MS = 3_600_000;
/** A session ends after so long without use, and after so long in any case. */
const [IDLE_MS, LONGEST_MS] = [HOUR_MS, 12 * HOUR_MS];
/** Wrong tokens per minute, from wherever: the right one is never limited. */
const MAX_GUESSES = 10;
const MAX_SESSIONS = 100;

interface Session {
  formToken: string;
  startedAt: number;
  usedAt: number;
}

export function createSignIns(token: string, clock: Pick<Clock, "monotonic">): SignIns {
  const guesses = createRateLimit(MAX_GUESSES, clock);
  const sessions = new Map<string, Session>();
  const random = () => randomBytes(32).toString("base64url");
  const isOver = ({ startedAt, usedAt }: Session, now: number) =>
    now - usedAt > IDLE_MS || now - startedAt > LONGEST_MS;
  const write = (c: Context, value: string, maxAge?: number) =>
    setCookie(c, NAME, value, { path: "/", httpOnly: true, sameSite: "Strict", maxAge });
  return {
    check(given) {
      if (sameSecret(given, token)) return "right";
      return guesses.take("") ? "wrong" : "too many";
    },
    start(c) {
      const [id, now] = [random(), clock.monotonic()];
      const oldest = sessions.size < MAX_SESSIONS ? undefined : sessions.keys().next().value;
      if (oldest !== undefined) sessions.delete(oldest);
      sessions.set(id, { formToken: random(), startedAt: now, usedAt: now });
      write(c, id);
    },
    formToken(c) {
      const [id, now] = [getCookie(c, NAME) ?? "", clock.monotonic()];
      const session = sessions.get(id);
      if (!session || isOver(session, now)) {
        sessions.delete(id);
        return undefined;
      }
      session.usedAt = now;
      return session.formToken;
    },
    end(c) {
      sessions.delete(getCookie(c, NAME) ?? "");
      write(c, "", 0);
    },
  };
}
