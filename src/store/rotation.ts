import { writeAudit } from "./audit.ts";
import { type Database, isServed } from "./db.ts";
import {
  KEY_CHECK,
  keyIdOf,
  rowsAtOnce,
  SEALED,
  SEALING,
  type SealedColumn,
  type SealedRow,
  sealedRows,
} from "./sealed.ts";
import { createSealer, type KeyRing, SealError, type Sealer } from "./secrets.ts";

/** Where the next batch begins. */
export interface RotationPlace {
  column: number;
  after: number;
}
export interface RotationBatch {
  /** Absent at the end. */
  next?: RotationPlace;
  /** How many values each older key has given up. */
  moved: Record<string, number>;
}

/** Seals everything with the first key of the ring again, beside the running server. */
export interface Rotation {
  /** Why it must not begin, in words; undefined when it may. */
  refusal(): Promise<string | undefined>;
  /** One batch in one transaction. What is done stays done, so that it may be cut and begun again. */
  batch(place: RotationPlace): Promise<RotationBatch>;
  finished(moved: Record<string, number>): Promise<void>;
}

/** Few enough that the server's own writes never wait long. */
const BATCH = 200;

export function rotation(db: Database, ring: KeyRing, folder: string, now = Date.now): Rotation {
  const sealer = createSealer(ring);
  const first = ring.keys[0]?.id ?? "";
  return {
    refusal: async () => (isServed(folder) ? unlikeServer(db, sealer, first) : undefined),
    batch: (place) => db.write(() => sealBatch(db, sealer, first, place)),
    finished: (moved) =>
      db.write(() =>
        writeAudit(db, now(), undefined, {
          actor: "operator",
          action: "keys rotated",
          detail: { to: first, ...moved },
        }),
      ),
  };
}

/** A server that lacks the new key could not open what is sealed with it. */
function unlikeServer(db: Database, sealer: Sealer, first: string): string | undefined {
  const [proof] = sealedRows(db, SEALING, -1, 1);
  const restart = "restart it with these SECRET_KEYS first (the new key first, the old ones after it)";
  if (!proof || keyIdOf(proof.value) !== first)
    return `the running server seals with the key "${proof ? keyIdOf(proof.value) : "?"}" and not with "${first}": ${restart}`;
  try {
    sealer.open(proof.value, SEALING.place(""));
    return undefined;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return `the running server has another key under the name "${first}": ${restart}`;
  }
}

function sealBatch(db: Database, sealer: Sealer, first: string, place: RotationPlace): RotationBatch {
  const column = SEALED[place.column];
  if (!column) return { moved: {} };
  const rows = sealedRows(db, column, place.after, rowsAtOnce(column, BATCH));
  const moved: Record<string, number> = {};
  for (const row of rows) {
    const id = keyIdOf(row.value);
    if (id === first) continue;
    sealAgain(db, sealer, column, row);
    if (column !== KEY_CHECK && column !== SEALING) moved[id] = (moved[id] ?? 0) + 1;
  }
  const last = rows.at(-1);
  return { moved, next: last ? { ...place, after: last.rowid } : { column: place.column + 1, after: -1 } };
}

function sealAgain(db: Database, sealer: Sealer, column: SealedColumn, { rowid, key, value }: SealedRow): void {
  const at = column.place(key);
  const sealed = sealer.seal(sealer.open(value, at), at);
  db.sqlite.prepare(`UPDATE "${column.table}" SET "${column.column}" = ? WHERE rowid = ?`).run(sealed, rowid);
}
