import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Where a sealed value lives; bound into the seal, so that a value moved to another row does not open. */
export interface Address {
  table: string;
  row: string;
  column: string;
}

export interface Sealer {
  /** `secrets` says which parts of it are; by default it is one as a whole. */
  seal(plain: string, address: Address, secrets?: SecretsOf): string;
  /** Throws `SealError` when no key of the ring opens it at this address. */
  open(sealed: string, address: Address, secrets?: SecretsOf): string;
}
export type SecretsOf = (plain: string) => string[];

export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SealError";
  }
}

/** The first key seals, all open. Each key is 32 bytes. */
export interface KeyRing {
  keys: { id: string; key: Buffer }[];
}

const IV_BYTES = 12;
const IVS_AT_ONCE = 128;
/** Stated on both sides: without it Node accepts a tag cut to 4 bytes (measured). */
const TAG = { authTagLength: 16 } as const;

const bound = (address: Address) => Buffer.from(JSON.stringify([address.table, address.row, address.column]));

/** Values that stay open, so that a message does not cost six decryptions. */
const MOST_OPEN = 20_000;
/** Longer ones are kept webhooks, which are read once; characters. */
const LONGEST_OPEN = 4_096;

/** Characters that hold the tag whole, by which one sealed text is told from another. */
const TAIL = 24;

/** What was opened last, by its address. */
function openValues() {
  const known = new Map<string, { end: string; plain: string }>();
  const name = ({ table, row, column }: Address) => `${table} ${row} ${column}`;
  return {
    at(sealed: string, address: Address): string | undefined {
      const found = known.get(name(address));
      return found && sealed.endsWith(found.end) ? found.plain : undefined;
    },
    keep(sealed: string, address: Address, plain: string): string {
      if (plain.length > LONGEST_OPEN) return plain;
      const oldest = known.size >= MOST_OPEN ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      // Copied: a slice would keep the whole text in memory.
      const end = Buffer.from(sealed.slice(-TAIL), "latin1").toString("latin1");
      known.set(name(address), { end, plain });
      return plain;
    },
  };
}

/** AES-256-GCM as `v1.<key id>.<iv>.<ciphertext and tag>`. `onSecret` is told every secret that passes, for the log's mask. */
export function createSealer(ring: KeyRing, onSecret?: (plain: string) => void): Sealer {
  const [first] = ring.keys;
  if (!first) throw new SealError("the key ring holds no key");
  const opened = openValues();
  const nextIv = randomIvs();
  return {
    seal(plain, address, secrets = whole) {
      if (onSecret) for (const secret of secrets(plain)) onSecret(secret);
      const iv = nextIv();
      const cipher = createCipheriv("aes-256-gcm", first.key, iv, TAG).setAAD(bound(address));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `v1.${first.id}.${iv.toString("base64url")}.${sealed.toString("base64url")}`;
    },
    open(sealed, address, secrets = whole) {
      const known = opened.at(sealed, address);
      if (known !== undefined) return known;
      const plain = unseal(ring, sealed, address);
      if (onSecret) for (const secret of secrets(plain)) onSecret(secret);
      return opened.keep(sealed, address, plain);
    },
  };
}

/** Opens at once, so that the log masks it. What does not open throws where it is asked for: a broken row costs only itself. */
export function opening<T>(open: () => T): () => T {
  try {
    const value = open();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** What was sealed, or undefined where it does not open. */
export function ifOpens<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return undefined;
  }
}

/** Asking for randomness costs more than sealing a short value: it is asked for many at a time. */
function randomIvs(): () => Buffer {
  let pool = Buffer.alloc(0);
  return () => {
    if (pool.length === 0) pool = randomBytes(IV_BYTES * IVS_AT_ONCE);
    const iv = pool.subarray(0, IV_BYTES);
    pool = pool.subarray(IV_BYTES);
    return iv;
  };
}

const whole: SecretsOf = (plain) => [plain];

function unseal(ring: KeyRing, sealed: string, address: Address): string {
  const [version, keyId, iv, body] = sealed.split(".");
  const found = ring.keys.find((k) => k.id === keyId);
  if (version !== "v1" || !iv || !body) throw new SealError(`${address.table}.${address.column} is not a sealed value`);
  if (!found)
    throw new SealError(`${address.table}.${address.column} is sealed with key "${keyId}", which the key ring lacks`);
  const bytes = Buffer.from(body, "base64url");
  const tagAt = bytes.length - TAG.authTagLength;
  if (tagAt < 0) throw new SealError(`${address.table}.${address.column} is cut short`);
  try {
    const decipher = createDecipheriv("aes-256-gcm", found.key, Buffer.from(iv, "base64url"), TAG)
      .setAAD(bound(address))
      .setAuthTag(bytes.subarray(tagAt));
    return Buffer.concat([decipher.update(bytes.subarray(0, tagAt)), decipher.final()]).toString("utf8");
  } catch {
    throw new SealError(
      `${address.table}.${address.column} does not open: wrong key, or the value was moved or changed`,
    );
  }
}
