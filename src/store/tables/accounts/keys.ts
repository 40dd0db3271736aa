import { randomBytes } from "node:crypto";
import { type Address, createSealer, type KeyRing, SealError } from "../../secrets.ts";
import { StoreError } from "../../store.ts";
import { assertNotMoved } from "../care/moves.ts";
import { neededKeys, type Search } from "../care/sealed.ts";
import { type Engine, first, run, type Verb } from "../engine.ts";

const FIND = "SELECT value FROM meta WHERE key = @key";
const SET = `INSERT INTO meta (key, value) VALUES (@key, @value)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Sealed with the first key of the ring. */
const proofOf = (ring: KeyRing, row: string): string =>
  createSealer(ring).seal(randomBytes(16).toString("base64url"), addressOf(row));

/** Like what `recordKeys` stores: it shows with which key a process seals. */
export const sealingProofOf = (ring: KeyRing): string => proofOf(ring, "sealing_key");

const addressOf = (row: string): Address => ({ table: "meta", row, column: "value" });

/** Id of the key that sealed a value. */
export const keyIdOf = (value: string): string => value.split(".")[1] ?? "";

/**
 * Opens a value sealed at the first start, so a wrong key ring fails at startup and not at the first message. False before
 * that. Throws StoreError.
 */
export function* provesKeys(ring: KeyRing): Verb<boolean> {
  const known = yield* first<{ value: string }>(FIND, { key: "key_check" });
  try {
    if (known) createSealer(ring).open(known.value, addressOf("key_check"));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const id = keyIdOf(known?.value ?? "");
    const why = ring.keys.some((key) => key.id === id) ? error.message : `it lacks the key "${id}"`;
    throw new StoreError(`SECRET_KEYS does not fit this database: ${why}`, "keys");
  }
  return known !== undefined;
}

/** What `provesKeys` and a rotation compare with. Throws StoreError. */
export function* recordKeys(ring: KeyRing): Verb<void> {
  const seal = (key: string) => ({ key, value: proofOf(ring, key) });
  if (!(yield* provesKeys(ring))) yield* run(SET, seal("key_check"));
  yield* run(SET, seal("sealing_key"));
}

/**
 * Whether this ring, and anybody, may use the database. `shared`: a command, which leaves the server's proofs as they are.
 * Throws StoreError.
 */
export async function checkKeys(
  { read, write }: Engine,
  { ring, search, shared = false }: { ring: KeyRing; search: Search; shared?: boolean },
): Promise<void> {
  await read(assertNotMoved);
  await read(() => provesKeys(ring));
  const lacking = [...(await read(() => neededKeys(search)))].filter((id) => !ring.keys.some((key) => key.id === id));
  if (lacking.length > 0)
    throw new StoreError(
      `SECRET_KEYS lacks ${lacking.map((id) => `"${id}"`).join(", ")}, which seals accounts or channels`,
      "keys",
    );
  if (!shared) await write(() => recordKeys(ring));
}

/** Shows that a write reaches the disk. */
export const writePing = (now: number): Verb<void> => run(SET, { key: "ping", value: String(now) });
