import type { Rotation, RotationBatch, RotationCursor, UnopenedValue } from "../care.ts";
import { isServed } from "../disk/instance-lock.ts";
import { createSealer, type KeyRing, type Sealer } from "../secrets.ts";
import type { Database } from "../sqlite/database/db.ts";
import { writeAudit } from "../sqlite/tables/engine.ts";
import { keyIdOf } from "../tables/keys.ts";
import {
  faultOf,
  KEY_CHECK,
  recordUnopenable,
  rowsAtOnce,
  SEALED_COLUMNS,
  SEALING,
  type SealedColumn,
  type SealedRow,
  sealedRows,
} from "./sealed.ts";

/** Small enough for the server's own writes not to wait long. */
const BATCH_ROWS = 200;

export function rotation(db: Database, ring: KeyRing, folder: string, now = Date.now): Rotation {
  const sealer = createSealer(ring);
  const first = ring.keys[0]?.id ?? "";
  return {
    refusal: async () => (isServed(folder) ? keyMismatch(db, sealer, first) : undefined),
    batch: async (cursor) => {
      const act = () => sealBatch(db, sealer, first, cursor);
      // A batch already under the first key needs no write.
      return rowsAt(db, cursor).some(({ value }) => keyIdOf(value) !== first) ? db.write(act) : act();
    },
    finished: (moved, unopened) =>
      db.write(() => {
        recordUnopenable(db, sealer, first);
        const detail = { to: first, ...moved, ...(unopened > 0 && { unopened }) };
        writeAudit(db, now(), undefined, { actor: "operator", action: "keys rotated", detail });
      }),
  };
}

/** Refuses when the running server does not seal with the new key: it could not open the resealed values. */
function keyMismatch(db: Database, sealer: Sealer, first: string): string | undefined {
  const [proof] = sealedRows(db, SEALING, -1, 1);
  const restart = "restart it with these SECRET_KEYS first (the new key first, the old ones after it)";
  if (!proof || keyIdOf(proof.value) !== first)
    return `the running server seals with the key "${proof ? keyIdOf(proof.value) : "?"}" and not with "${first}": ${restart}`;
  return faultOf(sealer, proof.value, SEALING.address(""))
    ? `the running server has another key under the name "${first}": ${restart}`
    : undefined;
}

const rowsAt = (db: Database, { column, after }: RotationCursor): SealedRow[] => {
  const at = SEALED_COLUMNS[column];
  return at ? sealedRows(db, at, after, rowsAtOnce(at, BATCH_ROWS)) : [];
};

function sealBatch(db: Database, sealer: Sealer, first: string, cursor: RotationCursor): RotationBatch {
  const column = SEALED_COLUMNS[cursor.column];
  if (!column) return { moved: {}, unopened: [] };
  const isOwn = column === KEY_CHECK || column === SEALING;
  const rows = rowsAt(db, cursor);
  const moved: Record<string, number> = {};
  const unopened: UnopenedValue[] = [];
  for (const row of rows) {
    const id = keyIdOf(row.value);
    const reason = faultOf(sealer, row.value, column.address(row.key));
    if (!reason && id !== first) {
      sealAgain(db, sealer, column, row);
      if (!isOwn) moved[id] = (moved[id] ?? 0) + 1;
    }
    // Skip the server's own proofs: the next start rewrites them.
    if (reason && !isOwn) unopened.push({ ...nameOf(column, row), key: id, reason });
  }
  const last = rows.at(-1);
  const next = last ? { ...cursor, after: last.rowid } : { column: cursor.column + 1, after: -1 };
  return { moved, unopened, next };
}

/** Raw webhooks are addressed by time, which is not unique: name them by row id. */
const nameOf = ({ table, address }: SealedColumn, { rowid, key }: SealedRow) => ({
  table,
  row: table === "raw_webhook" ? String(rowid) : key,
  column: address(key).column,
});

function sealAgain(db: Database, sealer: Sealer, column: SealedColumn, { rowid, key, value }: SealedRow): void {
  const at = column.address(key);
  const sealed = sealer.seal(sealer.open(value, at), at);
  db.sqlite.prepare(`UPDATE "${column.table}" SET "${column.column}" = ? WHERE rowid = ?`).run(sealed, rowid);
}
