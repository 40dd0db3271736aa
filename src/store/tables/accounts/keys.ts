import { randomBytes } from "node:crypto";
import type { Rotation, RotationBatch, RotationCursor, UnopenedValue } from "../../care.ts";
import { type Address, createSealer, type KeyRing, SealError, type Sealer } from "../../secrets.ts";
import { StoreError } from "../../store.ts";
import {
  faultOf,
  KEY_CHECK,
  keyIdOf,
  lackingKeys,
  recordUnopenable,
  rowsAtOnce,
  SEALED_COLUMNS,
  SEALING,
  type SealedColumn,
  type SealedRow,
  sealAgain,
  sealedRows,
} from "../care/sealed.ts";
import { type Engine, first, just, metaOf, setMeta, type Verb } from "../engine.ts";
import { writeAudit } from "./audit.ts";

const MARK = "SELECT key, value FROM meta WHERE key IN ('moved', 'moving') ORDER BY key LIMIT 1";

const dated = (value: string) => new Date(Number(value)).toISOString();

export const movedInWords = (value: string): string =>
  `all that was in this database was moved to another on ${dated(value)}: both would send what waits; use the other one, or gangway move to bring it back`;

/** Refuses a database that was moved to another, or is an unfinished copy. Throws StoreError. */
export function* assertNotMoved(): Verb<void> {
  const mark = yield* first<{ key: string; value: string }>(MARK);
  if (!mark) return;
  throw new StoreError(
    mark.key === "moved"
      ? movedInWords(mark.value)
      : `this database is the unfinished copy that gangway move began on ${dated(mark.value)}: run the same command again`,
  );
}

/** Sealed with the first key of the ring. */
const proofOf = (ring: KeyRing, row: string): string =>
  createSealer(ring).seal(randomBytes(16).toString("base64url"), addressOf(row));

/** Shows with which key a process seals, like the proof that `recordKeys` stores. */
export const sealingProofOf = (ring: KeyRing): string => proofOf(ring, "sealing_key");

const addressOf = (row: string): Address => ({ table: "meta", row, column: "value" });

/**
 * Opens a value sealed at the first start, so a wrong key ring fails at startup and not at the first message. False before
 * that. Throws StoreError.
 */
function* provesKeys(ring: KeyRing): Verb<boolean> {
  const known = yield* metaOf("key_check");
  try {
    if (known !== undefined) createSealer(ring).open(known, addressOf("key_check"));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const id = keyIdOf(known ?? "");
    const why = ring.keys.some((key) => key.id === id) ? error.message : `it lacks the key "${id}"`;
    throw new StoreError(`SECRET_KEYS does not fit this database: ${why}`, "keys");
  }
  return known !== undefined;
}

/** Stores the proofs that `provesKeys` and a rotation compare with. Throws StoreError. */
function* recordKeys(ring: KeyRing): Verb<void> {
  if (!(yield* provesKeys(ring))) yield* setMeta("key_check", proofOf(ring, "key_check"));
  yield* setMeta("sealing_key", sealingProofOf(ring));
}

/**
 * Checks that the database is usable at all, and with this key ring. `shared`: a command, which leaves the server's
 * proofs alone. Throws StoreError.
 */
export async function checkKeys(
  { read, write }: Engine,
  { ring, shared = false }: { ring: KeyRing; shared?: boolean },
): Promise<void> {
  await read(assertNotMoved);
  await read(() => provesKeys(ring));
  const lacking = await read(() => lackingKeys(ring.keys.map(({ id }) => id)));
  if (lacking.length > 0)
    throw new StoreError(
      `SECRET_KEYS lacks ${lacking.map((id) => `"${id}"`).join(", ")}, which seals accounts or channels`,
      "keys",
    );
  if (!shared) await write(() => recordKeys(ring));
}

/** Shows that a write reaches the disk. */
export const writePing = (now: number): Verb<void> => setMeta("ping", String(now));

/** Small enough for the server's own writes not to wait long. */
const BATCH_ROWS = 200;

interface Parts {
  engine: Engine;
  ring: KeyRing;
  /** Default: all sealed columns of the database. */
  columns?: SealedColumn[];
  /** A value that each running server has sealed with the first key of its ring. */
  proofs(): Promise<string[]>;
}

export function rotation(parts: Parts): Rotation {
  const { engine, ring, proofs, columns = SEALED_COLUMNS } = parts;
  const { read, write } = engine;
  const sealer = createSealer(ring);
  const firstKey = ring.keys[0]?.id ?? "";
  return {
    refusal: async () => {
      for (const proof of await proofs()) {
        const why = keyMismatch(sealer, firstKey, proof);
        if (why) return why;
      }
      return undefined;
    },
    batch: async (cursor) => {
      const column = columns[cursor.column];
      const act = () => sealBatch(sealer, firstKey, cursor, column);
      // A batch already under the first key needs no write.
      const rows = await read(() => rowsAt(cursor, column));
      return rows.some(({ value }) => keyIdOf(value) !== firstKey) ? write(act) : read(act);
    },
    finished: (moved, unopened) =>
      write(function* (tx) {
        yield* recordUnopenable(sealer, firstKey);
        const detail = { to: firstKey, ...moved, ...(unopened > 0 && { unopened }) };
        yield* writeAudit(tx, Date.now(), undefined, { actor: "operator", action: "keys rotated", detail });
      }),
  };
}

/** The proof that the server of a SQLite folder sealed at its start. */
export function* sealingProof(): Verb<string[]> {
  const [proof] = yield* sealedRows(SEALING, -1, 1);
  return [proof?.value ?? ""];
}

/** Refuses when a running server does not seal with the new key: it could not open the resealed values. */
function keyMismatch(sealer: Sealer, firstKey: string, proof: string): string | undefined {
  const restart = "restart it with these SECRET_KEYS first (the new key first, the old ones after it)";
  if (keyIdOf(proof) !== firstKey)
    return `a running server seals with the key "${keyIdOf(proof) || "?"}" and not with "${firstKey}": ${restart}`;
  return faultOf(sealer, proof, SEALING.address(""))
    ? `a running server has another key under the name "${firstKey}": ${restart}`
    : undefined;
}

function rowsAt({ after }: RotationCursor, at: SealedColumn | undefined): Verb<SealedRow[]> {
  return at ? sealedRows(at, after, rowsAtOnce(at, BATCH_ROWS)) : just([]);
}

function* sealBatch(
  sealer: Sealer,
  firstKey: string,
  cursor: RotationCursor,
  column: SealedColumn | undefined,
): Verb<RotationBatch> {
  if (!column) return { moved: {}, unopened: [] };
  const isOwn = column === KEY_CHECK || column === SEALING;
  const rows = yield* rowsAt(cursor, column);
  const moved: Record<string, number> = {};
  const unopened: UnopenedValue[] = [];
  for (const row of rows) {
    const id = keyIdOf(row.value);
    const reason = faultOf(sealer, row.value, column.address(row.key));
    if (!reason && id !== firstKey) {
      yield* sealAgain(sealer, column, row);
      if (!isOwn) moved[id] = (moved[id] ?? 0) + 1;
    }
    // Skip the server's own proofs: the next start rewrites them.
    if (reason && !isOwn) unopened.push({ ...nameOf(column, row), key: id, reason });
  }
  const last = rows.at(-1);
  const next = last ? { ...cursor, after: last.number } : { column: cursor.column + 1, after: -1 };
  return { moved, unopened, next };
}

/** Raw webhooks are addressed by time, which is not unique: name them by row id. */
const nameOf = ({ table, address }: SealedColumn, { number, key }: SealedRow) => ({
  table,
  row: table === "raw_webhook" ? String(number) : key,
  column: address(key).column,
});
