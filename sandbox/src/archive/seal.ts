import { createHash } from "node:crypto";
import { RECORDS } from "./shapes.ts";

// The last line of an archive that the sandbox has written: a digest of the others, and of what records are like. While it fits,
// nobody has changed a record, and none needs a check.

const TABLE = "seal";

export interface Seal {
  /** Lines, each with its line break; bytes may cut them. */
  add(lines: string | Uint8Array): void;
  /** The line, with its line break. */
  line(): string;
}

export function createSeal(): Seal {
  const hash = createHash("sha256").update(JSON.stringify(RECORDS));
  return {
    add: (lines) => void hash.update(lines),
    line: () => `${JSON.stringify({ table: TABLE, sha256: hash.copy().digest("hex") })}\n`,
  };
}

/** Whether the line is a seal, right or wrong. */
export const isSeal = (line: string): boolean => line.startsWith(`{"table":"${TABLE}"`);
