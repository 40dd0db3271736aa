import type { Rotation, RotationBatch, RotationCursor, UnopenedValue } from "../../care.ts";
import { createSealer, type KeyRing, type Sealer } from "../../secrets.ts";
import { writeAudit } from "../accounts/audit.ts";
import { keyIdOf } from "../accounts/keys.ts";
import { type Engine, just, type Verb } from "../engine.ts";
import {
  faultOf,
  KEY_CHECK,
  recordUnopenable,
  rowsAtOnce,
  SEALED_COLUMNS,
  SEALING,
  type SealedColumn,
  type SealedRow,
  type Search,
  sealAgain,
  sealedRows,
} from "./sealed.ts";

/** Small enough for the server's own writes not to wait long. */
const BATCH_ROWS = 200;

interface Parts {
  engine: Engine;
  ring: KeyRing;
  search: Search;
  /** All that the database has. */
  columns?: SealedColumn[];
  /** A value that each running server has sealed with the first key of its ring. */
  proofs(): Promise<string[]>;
  now?(): number;
}

export function rotation(parts: Parts): Rotation {
  const { engine, ring, search, proofs, columns = SEALED_COLUMNS, now = Date.now } = parts;
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
        yield* recordUnopenable(sealer, firstKey, search);
        const detail = { to: firstKey, ...moved, ...(unopened > 0 && { unopened }) };
        yield* writeAudit(tx, now(), undefined, { actor: "operator", action: "keys rotated", detail });
      }),
  };
}

/** What the server of SQLite's folder has sealed at its start. */
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
