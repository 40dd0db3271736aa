import { and, eq, gt, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Clock } from "gangway-messenger/clock";
import { fingerprint, newId, newSecret } from "gangway-messenger/ids";
import type { Account } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/ids.ts";
import { type AccountLimits, limitsIn } from "../../../domain/pausing.ts";
import type { AccountStore, NewAccount, WebSessionStore } from "../../accounts.ts";
import { type Sealer, withOpened } from "../../secrets.ts";
import { all, type Engine, first, type Orm, objectsOf, run, type Transaction, type Verb } from "../engine.ts";
import { accounts, webSessions } from "../schema.ts";
import { writeAudit } from "./audit.ts";
import { accountPauses, extendInbound, LIMITS_OF } from "./pausing.ts";

const unansweredRow = (startedAt: number[], now: number) => ({
  ...{ unanswered: startedAt.length, unansweredAt: now },
  unansweredCalls: JSON.stringify({ savedAt: now, startedAt }),
});
/** When the calls of `unanswered_calls` started, ms. */
export const startsOf = (saved: string): number[] => (saved === "" ? [] : JSON.parse(saved).startedAt);

type Row = typeof accounts.$inferSelect;

/** An account's own limits, as an object that names it. */
interface KnownLimits extends AccountLimits {
  accountId: string;
}

/** The account's limits, cached like its row. */
export function* limitsOf(tx: Transaction, id: string): Verb<AccountLimits> {
  const known = yield* tx.row<KnownLimits>("limits", id, function* () {
    const row = yield* first<{ limits: string | null }>(LIMITS_OF, { id });
    return row && { ...limitsIn(row.limits ?? ""), accountId: id };
  });
  return known ?? {};
}

const seal = (sealer: Sealer, id: string, column: string, plain: string) =>
  sealer.seal(plain, { table: "account", row: id, column });

const statements = (orm: Orm) => {
  const selectBy = (column: SQLiteColumn) =>
    orm
      .select()
      .from(accounts)
      .where(eq(column, sql.placeholder("value")))
      .prepare();
  const { id, crmUrl, technicalUrl, clientIdHash, webhookHash } = accounts;
  return {
    id: selectBy(id),
    crmUrl: selectBy(crmUrl),
    technicalUrl: selectBy(technicalUrl),
    clientId: selectBy(clientIdHash),
    webhook: selectBy(webhookHash),
  };
};

/** The store, except for what depends on other writers. */
export function accountStore(
  engine: Engine,
  sealer: Sealer,
  clock: Clock,
): Omit<AccountStore, "version" | "takeLease"> {
  const { write } = engine;
  const toAccount = (row: Row): Account => {
    const open = (column: string, sealed: string) => () =>
      sealer.open(sealed, { table: "account", row: row.id, column });
    return withOpened(plainOf(row), {
      apiKey: open("api_key", row.apiKeySealed),
      clientId: open("client_id", row.clientIdSealed),
      webhookSecret: open("webhook", row.webhookSealed),
      gatewayToken: open("gateway_token", row.gatewayTokenSealed),
    });
  };
  const objects = objectsOf(engine, "account", toAccount);
  const find = (by: "crmUrl" | "technicalUrl" | "clientId" | "webhook", value: string) =>
    objects.find(`account by ${by}`, value, (tx) => first(tx.statements(statements)[by], { value }));
  const change = (id: AccountId, set: Partial<Row>, condition?: SQL) =>
    write(({ orm }) =>
      run(
        orm
          .update(accounts)
          .set({ ...set, updatedAt: clock.now() })
          .where(and(eq(accounts.id, id), condition)),
      ),
    );

  return {
    bind: (account, by) =>
      write(function* (tx) {
        const row = yield* bindRow(tx, sealer, clock.now(), account);
        yield* writeAudit(tx, clock.now(), row.id, by, { crm: row.crmUrl });
        return toAccount(row);
      }),
    byId: (id) => objects.byId(id, (tx) => first(tx.statements(statements).id, { value: id })),
    byCrmUrl: (crmUrl) => find("crmUrl", crmUrl),
    byTechnicalUrl: (technicalUrl) => find("technicalUrl", technicalUrl),
    byClientId: (clientId) => find("clientId", fingerprint(clientId)),
    byWebhookSecret: (secret) => find("webhook", fingerprint(secret)),
    list: () => objects.list("accounts", "all", ({ orm }) => all(orm.select().from(accounts).orderBy(sql`rowid`))),
    setActivity: (id, { active, frozen }, inboundPatienceMs) =>
      write(function* (tx) {
        const now = clock.now();
        yield* run(tx.orm.update(accounts).set({ active, frozen, updatedAt: now }).where(eq(accounts.id, id)));
        // Waiting while the module was off must not count.
        if (active && !frozen) yield* extendInbound(tx, sql`channel.account_id = ${id}`, now + inboundPatienceMs);
      }),
    ...accountPauses(engine, clock),
    move: (id, { crmUrl, technicalUrl = null }, by) =>
      write(function* (tx) {
        const { orm } = tx;
        const now = clock.now();
        const there = yield* first(orm.select({ id: accounts.id }).from(accounts).where(eq(accounts.crmUrl, crmUrl)));
        if (there) return there.id === id;
        yield* run(orm.update(accounts).set({ crmUrl, technicalUrl, updatedAt: now }).where(eq(accounts.id, id)));
        yield* writeAudit(tx, now, id, by, { crm: crmUrl });
        return true;
      }),
    setLocale: (id, { language = null, timeZone = null }) => change(id, { language, timeZone }),
    setGatewayToken: (id, token) =>
      change(id, { gatewayTokenSealed: seal(sealer, id, "gateway_token", token), trouble: null, restUntil: 0 }),
    setRegistered: (id, registered) => change(id, { registered }),
    setTrouble: (id, trouble) => change(id, { trouble: trouble?.text ?? null, restUntil: trouble?.restUntil ?? 0 }),
    prolongTrouble: (id, { text, restUntil }) => change(id, { trouble: text, restUntil }, isNotNull(accounts.trouble)),
    setUnanswered: ({ accountId, fence }, startedAt) =>
      change(
        accountId,
        unansweredRow(startedAt, clock.now()),
        sql`EXISTS (SELECT 1 FROM account_lease WHERE account_id = ${accountId} AND fence = ${fence})`,
      ),
  };
}

const plainOf = (row: Row) => ({
  id: row.id as AccountId,
  crmUrl: row.crmUrl,
  technicalUrl: row.technicalUrl ?? undefined,
  gatewayUrl: row.gatewayUrl,
  active: row.active,
  frozen: row.frozen,
  pauseReason: row.pauseReason ?? undefined,
  limits: row.limits === null ? undefined : limitsIn(row.limits),
  language: row.language ?? undefined,
  timeZone: row.timeZone ?? undefined,
  registered: row.registered ?? undefined,
  trouble: row.trouble ?? undefined,
});

function* bindRow({ orm }: Transaction, sealer: Sealer, now: number, account: NewAccount): Verb<Row> {
  const at = account.id ? eq(accounts.id, account.id) : eq(accounts.crmUrl, account.crmUrl);
  const known = yield* first(orm.select({ id: accounts.id }).from(accounts).where(at));
  const id = known?.id ?? newId<AccountId>();
  const binding = {
    crmUrl: account.crmUrl,
    technicalUrl: account.technicalUrl ?? null,
    apiKeySealed: seal(sealer, id, "api_key", account.apiKey),
    clientIdHash: fingerprint(account.clientId),
    clientIdSealed: seal(sealer, id, "client_id", account.clientId),
    webhookHash: fingerprint(account.webhookSecret),
    webhookSealed: seal(sealer, id, "webhook", account.webhookSecret),
    gatewayUrl: account.gatewayUrl,
    gatewayTokenSealed: seal(sealer, id, "gateway_token", account.gatewayToken),
    active: true,
    frozen: false,
    registered: account.registered ?? null,
    trouble: null,
    restUntil: 0,
    updatedAt: now,
  };
  const bound = orm
    .insert(accounts)
    .values({ id, ...binding, createdAt: now })
    .onConflictDoUpdate({ target: accounts.id, set: binding });
  return (yield* first(bound.returning())) as Row;
}

const formTokenOf = (token: string): string => fingerprint(`form:${token}`);

const idOf = ({ tokenHash }: { tokenHash: string }): string => fingerprint(tokenHash);

/** An idle session ends after this time: a working day. */
const WEB_SESSION_MS = 12 * 3_600_000;
/** Stored in place of the form token's hash until a support link is followed. */
const NOT_REDEEMED = "";
/** Record a use no more often than this. */
const USE_MS = 300_000;

export function webSessionStore({ read, write }: Engine, clock: Clock): WebSessionStore {
  const openOf = ({ orm }: Transaction, accountId: AccountId) => {
    const isOpen = and(eq(webSessions.accountId, accountId), gt(webSessions.expiresAt, clock.now()));
    return all(orm.select().from(webSessions).where(isOpen));
  };
  const hashesOf = (token: string) => ({
    tokenHash: fingerprint(token),
    formToken: fingerprint(formTokenOf(token)),
  });
  function* added({ orm }: Transaction, row: typeof webSessions.$inferInsert): Verb<void> {
    yield* run(orm.delete(webSessions).where(lt(webSessions.expiresAt, clock.now())));
    yield* run(orm.insert(webSessions).values(row));
  }
  return {
    start: (accountId, browser) =>
      write(function* (tx) {
        const [token, now] = [newSecret(), clock.now()];
        const times = { expiresAt: now + WEB_SESSION_MS, startedAt: now };
        yield* added(tx, { ...hashesOf(token), accountId, ...times, browser });
        return token;
      }),
    startSupport: (accountId, ms, by) =>
      write(function* (tx) {
        const [token, now] = [newSecret(), clock.now()];
        const times = { expiresAt: now + ms, endsAt: now + ms, startedAt: now };
        yield* added(tx, { tokenHash: fingerprint(token), formToken: NOT_REDEEMED, accountId, ...times });
        yield* writeAudit(tx, now, accountId, by);
        return token;
      }),
    redeem: (given, by) =>
      write(function* (tx) {
        const [token, now] = [newSecret(), clock.now()];
        const isRedeemable = and(
          eq(webSessions.tokenHash, fingerprint(given)),
          eq(webSessions.formToken, NOT_REDEEMED),
          gt(webSessions.expiresAt, now),
        );
        const set = { ...hashesOf(token), startedAt: now };
        const row = yield* first(tx.orm.update(webSessions).set(set).where(isRedeemable).returning());
        if (!row) return undefined;
        yield* writeAudit(tx, now, row.accountId, by);
        return { accountId: row.accountId as AccountId, token };
      }),
    byToken: async (token, isUse = true) => {
      const own = eq(webSessions.tokenHash, fingerprint(token));
      const row = await read(({ orm }) => first(orm.select().from(webSessions).where(own)));
      const now = clock.now();
      if (!row || row.expiresAt <= now || row.formToken === NOT_REDEEMED) return undefined;
      const expiresAt = now + WEB_SESSION_MS;
      if (isUse && row.endsAt === null && expiresAt - row.expiresAt >= USE_MS)
        await write(({ orm }) => run(orm.update(webSessions).set({ expiresAt }).where(own)));
      const { accountId, browser } = row;
      return {
        ...{ accountId: accountId as AccountId, browser: browser ?? undefined },
        ...{ formToken: formTokenOf(token), id: idOf(row), endsAt: row.endsAt ?? undefined },
      };
    },
    list: async (accountId) => {
      const rows = await read((tx) => openOf(tx, accountId));
      return rows
        .filter(({ formToken }) => formToken !== NOT_REDEEMED)
        .map((row) => ({
          id: idOf(row),
          startedAt: row.startedAt,
          usedAt: row.endsAt === null ? row.expiresAt - WEB_SESSION_MS : row.startedAt,
          browser: row.browser ?? undefined,
          endsAt: row.endsAt ?? undefined,
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
