import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { SealError } from "../secrets.ts";

// A file is stored as objects of one size, but the last: each is sealed, sent and repeated by itself.

/** Bytes of a piece: what an upload holds in memory, twice. */
export const PIECE = 1024 ** 2;
const TAG = 16;
const ALGORITHM = "aes-256-gcm";

/** Seals one file, and no other. */
export const newFileKey = (): Buffer => randomBytes(32);

export const nameOf = (file: string, part: number): string => `${file}/${part}`;

/** Unique under a file's own key. A piece that is sealed again has the same bytes. */
function ivOf(part: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(part, 8);
  return iv;
}

export function sealPiece(key: Buffer, part: number, bytes: Uint8Array): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, ivOf(part), { authTagLength: TAG });
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Throws SealError when it is not this piece of this file. */
export function openPiece(key: Buffer, part: number, sealed: Uint8Array): Buffer {
  try {
    const end = sealed.length - TAG;
    const decipher = createDecipheriv(ALGORITHM, key, ivOf(part), { authTagLength: TAG });
    decipher.setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  } catch {
    throw new SealError("an object of a kept file does not open: it was changed or belongs to another file");
  }
}

/** Bytes in a sealed piece. */
export const plainSize = (sealed: number): number => sealed - TAG;
