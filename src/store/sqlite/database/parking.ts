import type Sqlite from "better-sqlite3";
import { isStrange, type Sum } from "../../tables/channels/raw-webhooks.ts";
import type { OtherWriters } from "./group-commit.ts";

/** What is parked, by login and by whose share of the room it takes up. Mirrors the table in memory. */
export interface Parking {
  lots(login: string): Lot[];
  logins(): string[];
  ofOwner(owner: string): Sum;
  all(): Sum;
  /** Parts whose login has no channel. */
  strangers(): number;
  /** Who has the most bytes. */
  largest(): string | undefined;
}

interface Lot extends Sum {
  owner: string;
}

const COUNT = "SELECT login, owner, count(*) AS parts, sum(size) AS bytes FROM parked GROUP BY login, owner";

/** `onUndo`: of the write that is running. */
export function createParking(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
): Parking {
  const count = sqlite.prepare<[], Lot & { login: string }>(COUNT);
  let known: Memory | undefined;
  const forget = () => {
    known = undefined;
  };
  others.onWritten(forget);
  const load = () => {
    if (known) return known;
    known = emptyMemory();
    for (const { login, owner, parts, bytes } of count.all()) add(known, login, owner, { parts, bytes });
    return known;
  };
  // Temporary triggers see every writer of this connection.
  sqlite.function("parked_moved", (login: string, owner: string, size: number, by: number) => {
    if (known) add(known, login, owner, { parts: by, bytes: size * by });
    onUndo(forget);
  });
  const moved = (row: "NEW" | "OLD", by: number) =>
    `SELECT parked_moved(${row}.login, ${row}.owner, ${row}.size, ${by});`;
  const trigger = (event: string, acts: string) =>
    sqlite.exec(`CREATE TEMP TRIGGER parked_${event} AFTER ${event} ON parked BEGIN ${acts} END`);
  trigger("INSERT", moved("NEW", 1));
  trigger("UPDATE", moved("OLD", -1) + moved("NEW", 1));
  trigger("DELETE", moved("OLD", -1));
  return {
    lots: (login) => [...(load().lots.get(login)?.values() ?? [])],
    logins: () => [...load().lots.keys()],
    ofOwner: (owner) => load().owners.get(owner) ?? { parts: 0, bytes: 0 },
    all: () => load().all,
    strangers: () => [...load().owners].reduce((sum, [owner, { parts }]) => sum + (isStrange(owner) ? parts : 0), 0),
    largest() {
      let most: [string, Sum] | undefined;
      for (const each of load().owners) if (!most || each[1].bytes > most[1].bytes) most = each;
      return most?.[0];
    },
  };
}

interface Memory {
  lots: Map<string, Map<string, Lot>>;
  owners: Map<string, Sum>;
  all: Sum;
}
const emptyMemory = (): Memory => ({ lots: new Map(), owners: new Map(), all: { parts: 0, bytes: 0 } });

function add({ lots, owners, all }: Memory, login: string, owner: string, more: Sum): void {
  const ofLogin = lots.get(login) ?? new Map<string, Lot>();
  const lot = ofLogin.get(owner) ?? { owner, parts: 0, bytes: 0 };
  const ofOwner = owners.get(owner) ?? { parts: 0, bytes: 0 };
  for (const sum of [lot, ofOwner, all]) {
    sum.parts += more.parts;
    sum.bytes += more.bytes;
  }
  if (lot.parts > 0) lots.set(login, ofLogin.set(owner, lot));
  else ofLogin.delete(owner);
  if (ofLogin.size === 0) lots.delete(login);
  if (ofOwner.parts > 0) owners.set(owner, ofOwner);
  else owners.delete(owner);
}
