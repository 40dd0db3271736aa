import type { AccountId, CustomerId } from "../../domain/ids.ts";
import { fingerprint, newId } from "../../domain/ids.ts";
import type { AskedErasure, Person } from "../erasure.ts";
import { type Address, ifOpens, type Sealer } from "../secrets.ts";
import { REQUEST } from "../tables/care/sealed.ts";
import { all, type Engine, first, run, type Verb } from "../tables/engine.ts";
import { personIn } from "../tables/messages/people.ts";

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
const STATE = `SELECT created_at AS at, done_at AS "doneAt" FROM ${REQUEST.table} WHERE id = @id`;
const END = `UPDATE ${REQUEST.table} SET sealed = NULL, done_at = @now WHERE id = @id AND sealed IS NOT NULL`;
const CHANNELS = `SELECT id, account_id AS "accountId" FROM channel WHERE kind = @kind`;

/** Resolves with the code under which its state is shown; only its fingerprint is stored. */
export async function addRequest(
  { write }: Engine,
  sealer: Sealer,
  { kind, customer, proof, now }: Omit<Asked, "id"> & { proof?: string; now: number },
): Promise<string> {
  const code = proof === undefined ? newId<string>() : fingerprint(`${kind}:${proof}`).slice(0, CODE_LENGTH);
  const id = fingerprint(code);
  const sealed = sealer.seal(customer, addressOf(id));
  await write(() => run(ADD, { id, kind, sealed, now }));
  return code;
}

export function* requestState(code: string): Verb<AskedErasure | undefined> {
  const row = yield* first<{ at: number; doneAt: number | null }>(STATE, { id: fingerprint(code) });
  return row && { at: row.at, doneAt: row.doneAt ?? undefined };
}

export function* pendingRequests(sealer: Sealer): Verb<Asked[]> {
  const rows = yield* all<{ id: string; kind: string; sealed: string }>(PENDING);
  return rows.flatMap(({ id, kind, sealed }) => {
    const customer = ifOpens(() => sealer.open(sealed, addressOf(id)) as CustomerId);
    return customer === undefined ? [] : [{ id, kind, customer }];
  });
}

/** Within a write. */
export const endRequest = ({ id }: Asked, now: number): Verb<void> => run(END, { id, now });

/** The customer in each channel of the kind that knows them. */
export async function peopleOf(
  engine: Engine,
  { kind, customer }: Asked,
): Promise<{ accountId: AccountId; person: Person }[]> {
  const channels = await engine.read(() => all<{ id: string; accountId: AccountId }>(CHANNELS, { kind }));
  const found = await personIn(
    engine,
    channels.map(({ id }) => id),
    customer,
  );
  return channels.flatMap(({ id, accountId }) => {
    const person = found.get(id);
    return person ? [{ accountId, person }] : [];
  });
}
