import type { AccountId, CustomerId } from "../../../domain/ids.ts";
import { fingerprint, newId } from "../../../domain/ids.ts";
import type { AskedErasure, Person } from "../../erasure.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import type { Database } from "../../sqlite/database/db.ts";
import { oweRewrite } from "../../sqlite/database/traces.ts";
import { sqliteEngine } from "../../sqlite/tables/engine.ts";
import { personIn } from "../../tables/people.ts";
import { REQUEST } from "../../tables/sealed.ts";

/** What a person has asked for at their messenger: the erasure of their data in all channels of its kind. */
interface Asked {
  id: string;
  kind: string;
  customer: CustomerId;
}

const addressOf = (row: string): Address => ({ ...REQUEST, row });

/** As long as an id, characters. */
const CODE_LENGTH = 22;
const ADD = `INSERT INTO ${REQUEST.table} (id, kind, sealed, created_at) VALUES (@id, @kind, @sealed, @now)
  ON CONFLICT DO NOTHING`;
const PENDING = `SELECT id, kind, sealed FROM ${REQUEST.table} WHERE sealed IS NOT NULL ORDER BY created_at`;
const STATE = `SELECT created_at AS at, done_at AS doneAt FROM ${REQUEST.table} WHERE id = ?`;
const END = `UPDATE ${REQUEST.table} SET sealed = NULL, done_at = @now WHERE id = @id`;

/** Resolves with the code under which its state is shown; only its fingerprint is stored. */
export async function addRequest(
  db: Database,
  sealer: Sealer,
  { kind, customer, proof, now }: Omit<Asked, "id"> & { proof?: string; now: number },
): Promise<string> {
  const code = proof === undefined ? newId<string>() : fingerprint(`${kind}:${proof}`).slice(0, CODE_LENGTH);
  const id = fingerprint(code);
  const sealed = sealer.seal(customer, addressOf(id));
  await db.write(() => void db.prepared(ADD).run({ id, kind, sealed, now }));
  return code;
}

export function requestState(db: Database, code: string): AskedErasure | undefined {
  const row = db.prepared(STATE).get(fingerprint(code)) as { at: number; doneAt: number | null } | undefined;
  return row && { at: row.at, doneAt: row.doneAt ?? undefined };
}

export const pendingRequests = (db: Database, sealer: Sealer): Asked[] =>
  (db.prepared(PENDING).all() as { id: string; kind: string; sealed: string }[]).flatMap(({ id, kind, sealed }) => {
    const customer = ifOpens(() => sealer.open(sealed, addressOf(id)) as CustomerId);
    return customer === undefined ? [] : [{ id, kind, customer }];
  });

export const endRequest = (db: Database, { id }: Asked, now: number): Promise<void> =>
  db.write(() => {
    db.prepared(END).run({ id, now });
    oweRewrite(db.sqlite);
  });

/** The customer in each channel of the kind that knows them. */
export async function peopleOf(
  db: Database,
  { kind, customer }: Asked,
): Promise<{ accountId: AccountId; person: Person }[]> {
  const channels = db.sqlite
    .prepare<[string], { id: string; accountId: AccountId }>(
      "SELECT id, account_id AS accountId FROM channel WHERE kind = ?",
    )
    .all(kind);
  const found = await personIn(
    sqliteEngine(db),
    channels.map(({ id }) => id),
    customer,
  );
  return channels.flatMap(({ id, accountId }) => {
    const person = found.get(id);
    return person ? [{ accountId, person }] : [];
  });
}
