import { asc, eq } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import { fingerprint, newSecret } from "gangway-messenger/ids";
import type { ApiToken } from "../../../domain/vendor.ts";
import type { ApiTokens } from "../../vendor.ts";
import { writeAudit } from "../accounts/audit.ts";
import { all, type Engine, first, run } from "../engine.ts";
import { apiTokens } from "../schema.ts";

const HOUR_MS = 3_600_000;

type Row = typeof apiTokens.$inferSelect;

const toToken = ({ name, scopes, createdAt, usedAt }: Row): ApiToken => ({
  ...{ name, createdAt, usedAt: usedAt ?? undefined },
  scopes: JSON.parse(scopes) as string[],
});

export function apiTokenStore({ read, write }: Engine, clock: Pick<Clock, "now">): ApiTokens {
  return {
    add: (name, scopes) =>
      write(function* (tx) {
        const now = clock.now();
        const token = `gw_${newSecret()}`;
        const row = { name, tokenHash: fingerprint(token), scopes: JSON.stringify(scopes), createdAt: now };
        const added = yield* first(tx.orm.insert(apiTokens).values(row).onConflictDoNothing().returning());
        if (!added) return undefined;
        const act = { actor: "operator", action: "API token added" } as const;
        yield* writeAudit(tx, now, undefined, act, { token: name, scopes: scopes.join(" ") });
        return token;
      }),
    list: async () =>
      (await read(({ orm }) => all(orm.select().from(apiTokens).orderBy(asc(apiTokens.name))))).map(toToken),
    remove: (name) =>
      write(function* (tx) {
        const removed = yield* first(tx.orm.delete(apiTokens).where(eq(apiTokens.name, name)).returning());
        const act = { actor: "operator", action: "API token removed" } as const;
        if (removed) yield* writeAudit(tx, clock.now(), undefined, act, { token: name });
        return removed !== undefined;
      }),
    async find(token) {
      const own = eq(apiTokens.tokenHash, fingerprint(token));
      const row = await read(({ orm }) => first(orm.select().from(apiTokens).where(own)));
      if (!row) return undefined;
      const hour = Math.floor(clock.now() / HOUR_MS) * HOUR_MS;
      if ((row.usedAt ?? 0) < hour)
        await write(({ orm }) => run(orm.update(apiTokens).set({ usedAt: hour }).where(own)), "lanes");
      return toToken(row);
    },
  };
}
