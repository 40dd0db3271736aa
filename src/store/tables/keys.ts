import { randomBytes } from "node:crypto";
import { type Address, createSealer, type KeyRing, SealError } from "../secrets.ts";
import { StoreError } from "../store.ts";
import { first, run, type Work } from "./engine.ts";

const FIND = "SELECT value FROM meta WHERE key = @key";
const SET = `INSERT INTO meta (key, value) VALUES (@key, @value)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

const addressOf = (row: string): Address => ({ table: "meta", row, column: "value" });

/** Id of the key that sealed a value. */
export const keyIdOf = (value: string): string => value.split(".")[1] ?? "";

/**
 * Opens a value sealed at the first start, so a wrong key ring fails at startup and not at the first message. False before
 * that. Throws StoreError.
 */
export function* provesKeys(ring: KeyRing): Work<boolean> {
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
export function* recordKeys(ring: KeyRing): Work<void> {
  const sealer = createSealer(ring);
  const seal = (key: string) => ({
    key,
    value: sealer.seal(randomBytes(16).toString("base64url"), addressOf(key)),
  });
  if (!(yield* provesKeys(ring))) yield* run(SET, seal("key_check"));
  yield* run(SET, seal("sealing_key"));
}

/** Shows that a write reaches the disk. */
export const writePing = (now: number): Work<void> => run(SET, { key: "ping", value: String(now) });
