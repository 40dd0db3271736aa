import type { World } from "../world.ts";
import type { Line, Part } from "./line.ts";
import { ACCOUNT, partOf, partsOf } from "./parts.ts";
import { danglingIn, type Fault, type NumberedLine } from "./references.ts";
import { createSeal, isSeal } from "./seal.ts";
import { shapeFault } from "./shapes.ts";

/** Names the bad line. */
export class ArchiveError extends Error {}

/** Records by table. */
export type Counts = Record<string, number>;
type Read = Map<string, { part: Part; lines: NumberedLine[] }>;

/**
 * Reads an archive into the account, all of it or nothing. One with an account's line replaces everything; any other adds
 * records and replaces those with the same id. Throws an ArchiveError.
 */
export async function readArchive(world: World, bytes: AsyncIterable<Uint8Array>): Promise<Counts> {
  const parts = partsOf(world);
  const read: Read = new Map();
  const seal = createSeal();
  let [number, isSealed] = [0, false];
  for await (const texts of linesIn(bytes)) {
    const records = texts.filter((text) => !isSeal(text));
    if (records.length > 0) seal.add(`${records.join("\n")}\n`);
    isSealed = `${texts.at(-1)}\n` === seal.line();
    for (const text of texts) {
      number += 1;
      if (text.trim() === "" || isSeal(text)) continue;
      try {
        const line = parsed(text);
        const { part, lines } = read.get(line.table) ?? { part: known(parts, line.table), lines: [] };
        lines.push({ ...line, number });
        read.set(line.table, { part, lines });
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error;
        throw new ArchiveError(`line ${number}: ${error.message}`);
      }
    }
  }
  const fault = isSealed ? undefined : faultIn(world, read);
  if (fault) throw new ArchiveError(`line ${fault.number}: ${fault.words}`);
  if (read.has(ACCOUNT)) for (const part of parts.values()) part.clear(world);
  for (const { part, lines } of read.values()) for (const line of lines) keep(world, part, line);
  return Object.fromEntries([...read].map(([table, { lines }]) => [table, lines.length]));
}

/** The same with an archive that the sandbox has written: nothing is checked, and no record is kept twice. */
export async function readOwnArchive(world: World, bytes: AsyncIterable<Uint8Array>): Promise<Counts> {
  const parts = partsOf(world);
  for (const part of parts.values()) part.clear(world);
  const counts: Counts = {};
  for await (const texts of linesIn(bytes))
    for (const text of texts) {
      if (isSeal(text)) continue;
      const line = parsed(text);
      keep(world, known(parts, line.table), line);
      counts[line.table] = (counts[line.table] ?? 0) + 1;
    }
  return counts;
}

/** The first bad line; references are looked at last. */
function faultIn(world: World, read: Read): Fault | undefined {
  const faults = [...read.values()].flatMap(({ part, lines }) => {
    for (const line of lines) {
      const words = part.fault(line) ?? shapeFault(line);
      if (words) return [{ number: line.number, words }];
    }
    return [];
  });
  const [first] = faults.toSorted((one, other) => one.number - other.number);
  return first ?? danglingIn(world, new Map([...read].map(([table, { lines }]) => [table, lines])), read.has(ACCOUNT));
}

function keep(world: World, part: Part, line: Line): void {
  part.put(world, line);
  const { id } = (line.record ?? {}) as { id?: unknown };
  if (typeof id === "number" && id > world.lastId()) world.continueAfter(id);
}

function parsed(text: string): Line {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch (error) {
    throw new ArchiveError(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof (line as Line | null)?.table !== "string") throw new ArchiveError("the line has no table");
  return line as Line;
}

function known(parts: ReadonlyMap<string, Part>, table: string): Part {
  const part = partOf(parts, table);
  if (!part) throw new ArchiveError(`there is no table ${table}`);
  return part;
}

const NEWLINE = 10;

/** Whole lines of each chunk. */
async function* linesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let begun: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const whole = begun.length === 0 ? bufferOf(chunk) : Buffer.concat([begun, chunk]);
    const lines: string[] = [];
    let start = 0;
    // Line by line: one letter of another script makes a text of twice the size.
    for (let end = whole.indexOf(NEWLINE); end >= 0; end = whole.indexOf(NEWLINE, start)) {
      lines.push(whole.toString("utf8", start, end));
      start = end + 1;
    }
    begun = whole.subarray(start);
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) yield [begun.toString("utf8")];
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength);
