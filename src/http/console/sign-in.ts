import { randomBytes } from "node:crypto";
import type { Clock } from "gangway-messenger/clock";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";

/** Signed-in sessions of the console. In memory: after a restart the vendor signs in again. */
export interface SignIns {
  /** Starts a session, replacing the request's session if there is one. */
  start(c: Context): void;
  /**
   * Records a use of the request's session and returns its form token; undefined without a session, or when it is over.
   * Pages that refresh their own figures do not count as use.
   */
  use(c: Context): string | undefined;
  end(c: Context): void;
}

const NAME = "gangway-console";
const HOUR_MS = 3_600_000;
/** A session ends after IDLE_MS without use, and after LONGEST_MS in any case. */
const [IDLE_MS, LONGEST_MS] = [HOUR_MS, 12 * HOUR_MS];
const MAX_SESSIONS = 100;

interface Session {
  formToken: string;
  startedAt: number;
  usedAt: number;
}

export function createSignIns(clock: Pick<Clock, "monotonic">): SignIns {
  const sessions = new Map<string, Session>();
  const random = () => randomBytes(32).toString("base64url");
  const isOver = ({ startedAt, usedAt }: Session, now: number) =>
    now - usedAt > IDLE_MS || now - startedAt > LONGEST_MS;
  /** Behind an https proxy the cookie is Secure. */
  const write = (c: Context, value: string, maxAge?: number) => {
    const secure = c.req.header("origin")?.startsWith("https:") ?? false;
    setCookie(c, NAME, value, { path: "/", httpOnly: true, sameSite: "Strict", secure, maxAge });
  };
  return {
    start(c) {
      const [id, now] = [random(), clock.monotonic()];
      sessions.delete(getCookie(c, NAME) ?? "");
      const oldest = sessions.size < MAX_SESSIONS ? undefined : sessions.keys().next().value;
      if (oldest !== undefined) sessions.delete(oldest);
      sessions.set(id, { formToken: random(), startedAt: now, usedAt: now });
      write(c, id);
    },
    use(c) {
      const [id, now] = [getCookie(c, NAME) ?? "", clock.monotonic()];
      const session = sessions.get(id);
      if (!session || isOver(session, now)) {
        sessions.delete(id);
        return undefined;
      }
      if (c.req.header("x-fresh") === undefined) session.usedAt = now;
      return session.formToken;
    },
    end(c) {
      sessions.delete(getCookie(c, NAME) ?? "");
      write(c, "", 0);
    },
  };
}
