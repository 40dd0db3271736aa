import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Account } from "../../../domain/account.ts";
import type { Clock } from "../../../domain/clock.ts";
import { type AccountId, fingerprint, newId } from "../../../domain/ids.ts";
import type { AccountStore, NewAccount } from "../../accounts.ts";
import { type Sealer, withOpened } from "../../secrets.ts";
import { accountLeases, accounts, messages } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { writeAudit } from "./audit.ts";
import { liveOfAccount } from "./lanes.ts";

type Row = typeof accounts.$inferSelect;

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

export function accountStore(db: Database, sealer: Sealer, clock: Clock): AccountStore {
  const { orm } = db;
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
  /** One object per row, whatever it was found by. */
  const known = (row: Row): Account => db.rows.row("account", row.id, () => toAccount(row)) as Account;
  const find = async (by: "crmUrl" | "technicalUrl" | "clientId" | "webhook", value: string) =>
    db.rows.find(`account by ${by}`, value, () => {
      const row = db.statements(statements)[by].get({ value });
      return row && known(row);
    });
  const change = (id: AccountId, set: Partial<Row>, condition?: SQL) =>
    db.write(() => {
      orm
        .update(accounts)
        .set({ ...set, updatedAt: clock.now() })
        .where(and(eq(accounts.id, id), condition))
        .run();
    });

  return {
    bind: (account, by) =>
      db.write(() => {
        const row = bindRow(db, sealer, clock.now(), account);
        writeAudit(db, clock.now(), row.id, by, { crm: row.crmUrl });
        return toAccount(row);
      }),
    byId: async (id) =>
      db.rows.row("account", id, () => {
        const row = db.statements(statements).id.get({ value: id });
        return row && toAccount(row);
      }),
    version: db.versions.of,
    byCrmUrl: (crmUrl) => find("crmUrl", crmUrl),
    byTechnicalUrl: (technicalUrl) => find("technicalUrl", technicalUrl),
    byClientId: (clientId) => find("clientId", fingerprint(clientId)),
    byWebhookSecret: (secret) => find("webhook", fingerprint(secret)),
    list: async () =>
      db.rows.find("accounts", "all", () => orm.select().from(accounts).all().map(known))?.slice() ?? [],
    setActivity: (id, activity, inboundPatienceMs) =>
      db.write(() => {
        const now = clock.now();
        orm
          .update(accounts)
          .set({ active: activity.active, frozen: activity.frozen, updatedAt: now })
          .where(eq(accounts.id, id))
          .run();
        if (!activity.active || activity.frozen) return;
        // Extend inbound deadlines: the wait while the module was off must not count.
        orm
          .update(messages)
          .set({ deadlineAt: now + inboundPatienceMs })
          .where(
            and(
              sql`${messages.id} IN (${liveOfAccount(id)})`,
              eq(messages.direction, "inbound"),
              eq(messages.state, "ready"),
            ),
          )
          .run();
      }),
    move: (id, { crmUrl, technicalUrl = null }, by) =>
      db.write(() => {
        const now = clock.now();
        const there = orm.select({ id: accounts.id }).from(accounts).where(eq(accounts.crmUrl, crmUrl)).get();
        if (there) return there.id === id;
        orm.update(accounts).set({ crmUrl, technicalUrl, updatedAt: now }).where(eq(accounts.id, id)).run();
        writeAudit(db, now, id, by, { crm: crmUrl });
        return true;
      }),
    setLocale: (id, { language = null, timeZone = null }) => change(id, { language, timeZone }),
    setGatewayToken: (id, token) =>
      change(id, { gatewayTokenSealed: seal(sealer, id, "gateway_token", token), trouble: null, restUntil: 0 }),
    setTrouble: (id, trouble) => change(id, { trouble: trouble?.text ?? null, restUntil: trouble?.restUntil ?? 0 }),
    prolongTrouble: (id, { text, restUntil }) => change(id, { trouble: text, restUntil }, isNotNull(accounts.trouble)),
    setUnanswered: (id, calls) => change(id, { unanswered: calls, unansweredAt: clock.now() }),
    takeLease: (accountId, owner) =>
      db.write(() => {
        const row = orm
          .insert(accountLeases)
          .values({ accountId, owner, fence: 1 })
          .onConflictDoUpdate({
            target: accountLeases.accountId,
            set: { owner, fence: sql`${accountLeases.fence} + 1` },
          })
          .returning()
          .get();
        return { accountId, fence: row.fence };
      }),
  };
}

const plainOf = (row: Row) => ({
  id: row.id as AccountId,
  crmUrl: row.crmUrl,
  technicalUrl: row.technicalUrl ?? undefined,
  gatewayUrl: row.gatewayUrl,
  active: row.active,
  frozen: row.frozen,
  language: row.language ?? undefined,
  timeZone: row.timeZone ?? undefined,
  trouble: row.trouble ?? undefined,
});

function bindRow(db: Database, sealer: Sealer, now: number, account: NewAccount): Row {
  const at = account.id ? eq(accounts.id, account.id) : eq(accounts.crmUrl, account.crmUrl);
  const id = db.orm.select({ id: accounts.id }).from(accounts).where(at).get()?.id ?? newId<AccountId>();
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
    trouble: null,
    restUntil: 0,
    updatedAt: now,
  };
  return db.orm
    .insert(accounts)
    .values({ id, ...binding, createdAt: now })
    .onConflictDoUpdate({ target: accounts.id, set: binding })
    .returning()
    .get();
}
