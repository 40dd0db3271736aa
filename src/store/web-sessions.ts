import { eq, lt } from "drizzle-orm";
import type { Clock } from "../domain/clock.ts";
import { type AccountId, fingerprint, newSecret } from "../domain/ids.ts";
import type { Database } from "./db.ts";
import { webSessions } from "./schema.ts";

/** A person's visit to the account page. The cookie holds the token; the database only its fingerprint. */
export interface WebSession {
  accountId: AccountId;
  /** Must come back with every form of this visit. */
  formToken: string;
}

export interface WebSessionStore {
  /** Resolves with the token for the cookie; the form token is made of it, and neither is kept. */
  start(accountId: AccountId): Promise<string>;
  byToken(token: string): Promise<WebSession | undefined>;
  end(token: string): Promise<void>;
}

const formTokenOf = (token: string): string => fingerprint(`form:${token}`);

/** How long a visit lasts: a working day. */
export const WEB_SESSION_MS = 12 * 3_600_000;

export function webSessionStore(db: Database, clock: Clock): WebSessionStore {
  const { orm } = db;
  return {
    start: (accountId) =>
      db.write(() => {
        const token = newSecret();
        const now = clock.now();
        orm.delete(webSessions).where(lt(webSessions.expiresAt, now)).run();
        orm
          .insert(webSessions)
          .values({
            tokenHash: fingerprint(token),
            accountId,
            formToken: fingerprint(formTokenOf(token)),
            expiresAt: now + WEB_SESSION_MS,
          })
          .run();
        return token;
      }),
    byToken: async (token) => {
      const row = orm
        .select()
        .from(webSessions)
        .where(eq(webSessions.tokenHash, fingerprint(token)))
        .get();
      if (!row || row.expiresAt <= clock.now()) return undefined;
      return { accountId: row.accountId as AccountId, formToken: formTokenOf(token) };
    },
    end: (token) =>
      db.write(() => {
        orm
          .delete(webSessions)
          .where(eq(webSessions.tokenHash, fingerprint(token)))
          .run();
      }),
  };
}
