import { and, eq, gt, lt } from "drizzle-orm";
import type { Clock } from "../../../domain/clock.ts";
import { type AccountId, fingerprint, newSecret } from "../../../domain/ids.ts";
import type { WebSessionStore } from "../../accounts.ts";
import { webSessions } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";

const formTokenOf = (token: string): string => fingerprint(`form:${token}`);

const idOf = ({ tokenHash }: { tokenHash: string }): string => fingerprint(tokenHash);

/** An idle session ends after this time: a working day. */
const WEB_SESSION_MS = 12 * 3_600_000;
/** Record a use no more often than this. */
const USE_MS = 300_000;

export function webSessionStore(db: Database, clock: Clock): WebSessionStore {
  const { orm } = db;
  const openOf = (accountId: AccountId) =>
    orm
      .select()
      .from(webSessions)
      .where(and(eq(webSessions.accountId, accountId), gt(webSessions.expiresAt, clock.now())))
      .all();
  return {
    start: (accountId, browser) =>
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
            startedAt: now,
            browser,
          })
          .run();
        return token;
      }),
    byToken: async (token, isUse = true) => {
      const own = eq(webSessions.tokenHash, fingerprint(token));
      const row = orm.select().from(webSessions).where(own).get();
      const now = clock.now();
      if (!row || row.expiresAt <= now) return undefined;
      const expiresAt = now + WEB_SESSION_MS;
      if (isUse && expiresAt - row.expiresAt >= USE_MS)
        await db.write(() => void orm.update(webSessions).set({ expiresAt }).where(own).run());
      return { accountId: row.accountId as AccountId, formToken: formTokenOf(token), id: idOf(row) };
    },
    list: async (accountId) =>
      openOf(accountId)
        .map((row) => ({
          id: idOf(row),
          startedAt: row.startedAt,
          usedAt: row.expiresAt - WEB_SESSION_MS,
          browser: row.browser ?? undefined,
        }))
        .sort((a, b) => b.usedAt - a.usedAt),
    endOf: (accountId, which) =>
      db.write(() => {
        const ended = openOf(accountId).filter((row) =>
          "id" in which ? idOf(row) === which.id : idOf(row) !== which.allBut,
        );
        for (const { tokenHash } of ended) orm.delete(webSessions).where(eq(webSessions.tokenHash, tokenHash)).run();
        db.versions.bump(accountId);
        return ended.length;
      }),
    end: (token) =>
      db.write(() => {
        const ended = orm
          .delete(webSessions)
          .where(eq(webSessions.tokenHash, fingerprint(token)))
          .returning()
          .get();
        if (ended) db.versions.bump(ended.accountId);
      }),
  };
}
