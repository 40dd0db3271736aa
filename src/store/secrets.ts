import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

/** Location of a sealed value. It is authenticated (AAD), so a value moved to another row does not open. */
export interface Address {
  table: string;
  row: string;
  column: string;
}

export interface Sealer {
  /** `secrets` extracts the secret parts; by default the whole value is secret. */
  seal(plain: string, address: Address, secrets?: SecretsOf): string;
  /** Throws SealError when no key of the ring opens it at this address. */
  open(sealed: string, address: Address, secrets?: SecretsOf): string;
}
type SecretsOf = (plain: string) => string[];

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
const IVS_PER_REFILL = 128;
/** Set on both sides: without it Node accepts a tag cut to 4 bytes (measured). */
const TAG = { authTagLength: 16 } as const;

const aad = (address: Address) => Buffer.from(JSON.stringify([address.table, address.row, address.column]));

/** AES-256-GCM as `v1.<key id>.<iv>.<ciphertext and tag>`. `onSecret` gets every secret sealed or opened, for the log's mask. */
export function createSealer(ring: KeyRing, onSecret?: (plain: string) => void): Sealer {
  // With a key's raw bytes, Node takes five times as long for each value.
  const keys = new Map(ring.keys.map(({ id, key }) => [id, createSecretKey(key)]));
  const [first] = keys;
  if (!first) throw new SealError("the key ring holds no key");
  const [firstId, firstKey] = first;
  const nextIv = randomIvs();
  return {
    seal(plain, address, secrets = wholeValue) {
      if (onSecret) for (const secret of secrets(plain)) onSecret(secret);
      const iv = nextIv();
      const cipher = createCipheriv("aes-256-gcm", firstKey, iv, TAG).setAAD(aad(address));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `v1.${firstId}.${iv.toString("base64url")}.${sealed.toString("base64url")}`;
    },
    open(sealed, address, secrets = wholeValue) {
      const plain = unseal(keys, sealed, address);
      if (onSecret) for (const secret of secrets(plain)) onSecret(secret);
      return plain;
    },
  };
}

/**
 * Adds the opened values to `row`. Opens them now, so that the log masks them; a value that fails throws only on
 * access, so that it fails alone.
 */
export function withOpened<R extends object, V extends object>(row: R, values: { [K in keyof V]: () => V[K] }): R & V {
  // Plain properties: an own accessor turns an object into a hash table of five times the size.
  for (const [name, open] of Object.entries<() => unknown>(values))
    try {
      Object.assign(row, { [name]: open() });
    } catch (error) {
      const get = () => {
        throw error;
      };
      Object.defineProperty(row, name, { get, enumerable: true });
    }
  return row as R & V;
}

/** The plain value, or undefined on SealError. */
export function ifOpens<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return undefined;
  }
}

/** Draws IVs in bulk: one `randomBytes` call costs more than sealing a short value. */
function randomIvs(): () => Buffer {
  let pool = Buffer.alloc(0);
  return () => {
    if (pool.length === 0) pool = randomBytes(IV_BYTES * IVS_PER_REFILL);
    const iv = pool.subarray(0, IV_BYTES);
    pool = pool.subarray(IV_BYTES);
    return iv;
  };
}

const wholeValue: SecretsOf = (plain) => [plain];

function unseal(keys: Map<string, KeyObject>, sealed: string, address: Address): string {
  const [version, keyId, iv, body] = sealed.split(".");
  const key = keys.get(keyId ?? "");
  if (version !== "v1" || !iv || !body) throw new SealError(`${address.table}.${address.column} is not a sealed value`);
  if (!key)
    throw new SealError(`${address.table}.${address.column} is sealed with key "${keyId}", which the key ring lacks`);
  const bytes = Buffer.from(body, "base64url");
  const tagAt = bytes.length - TAG.authTagLength;
  if (tagAt < 0) throw new SealError(`${address.table}.${address.column} is truncated`);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"), TAG)
      .setAAD(aad(address))
      .setAuthTag(bytes.subarray(tagAt));
    return Buffer.concat([decipher.update(bytes.subarray(0, tagAt)), decipher.final()]).toString("utf8");
  } catch {
    throw new SealError(
      `${address.table}.${address.column} does not open: wrong key, or the value was moved or changed`,
    );
  }
}
