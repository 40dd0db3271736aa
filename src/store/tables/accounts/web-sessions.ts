import { and, eq, gt, inArray, lt } from "drizzle-orm";
import { type AccountId, fingerprint, newSecret } from "../../../domain/ids.ts";
import type { Clock } from "../../../domain/time/clock.ts";
import type { WebSessionStore } from "../../accounts.ts";
import { all, type Engine, first, run, type Transaction } from "../engine.ts";
import { webSessions } from "../schema.ts";

const formTokenOf = (token: string): string => fingerprint(`form:${token}`);

const idOf = ({ tokenHash }: { tokenHash: string }): string => fingerprint(tokenHash);

/** An idle session ends after this time: a working day. */
const WEB_SESSION_MS = 12 * 3_600_000;
/** Record a use no more often than this. */
const USE_MS = 300_000;

export function webSessionStore({ read, write }: Engine, clock: Clock): WebSessionStore {
  const openOf = ({ orm }: Transaction, accountId: AccountId) => {
    const isOpen = and(eq(webSessions.accountId, accountId), gt(webSessions.expiresAt, clock.now()));
    return all(orm.select().from(webSessions).where(isOpen));
  };
  return {
    start: (accountId, browser) =>
      write(function* ({ orm }) {
        const token = newSecret();
        const now = clock.now();
        yield* run(orm.delete(webSessions).where(lt(webSessions.expiresAt, now)));
        const hashes = { tokenHash: fingerprint(token), formToken: fingerprint(formTokenOf(token)) };
        const times = { expiresAt: now + WEB_SESSION_MS, startedAt: now };
        yield* run(orm.insert(webSessions).values({ ...hashes, accountId, ...times, browser }));
        return token;
      }),
    byToken: async (token, isUse = true) => {
      const own = eq(webSessions.tokenHash, fingerprint(token));
      const row = await read(({ orm }) => first(orm.select().from(webSessions).where(own)));
      const now = clock.now();
      if (!row || row.expiresAt <= now) return undefined;
      const expiresAt = now + WEB_SESSION_MS;
      if (isUse && expiresAt - row.expiresAt >= USE_MS)
        await write(({ orm }) => run(orm.update(webSessions).set({ expiresAt }).where(own)));
      return { accountId: row.accountId as AccountId, formToken: formTokenOf(token), id: idOf(row) };
    },
    list: async (accountId) => {
      const rows = await read((tx) => openOf(tx, accountId));
      return rows
        .map((row) => ({
          id: idOf(row),
          startedAt: row.startedAt,
          usedAt: row.expiresAt - WEB_SESSION_MS,
          browser: row.browser ?? undefined,
        }))
        .sort((a, b) => b.usedAt - a.usedAt);
    },
    endOf: (accountId, which) =>
      write(function* (tx) {
        const isEnded = (id: string) => ("id" in which ? id === which.id : id !== which.allBut);
        const hashes = (yield* openOf(tx, accountId)).filter((row) => isEnded(idOf(row))).map((row) => row.tokenHash);
        if (hashes.length > 0) yield* run(tx.orm.delete(webSessions).where(inArray(webSessions.tokenHash, hashes)));
        tx.changed(accountId);
        return hashes.length;
      }),
    end: (token) =>
      write(function* ({ orm, changed }) {
        const own = eq(webSessions.tokenHash, fingerprint(token));
        const ended = yield* first(orm.delete(webSessions).where(own).returning());
        if (ended) changed(ended.accountId);
      }),
  };
}
