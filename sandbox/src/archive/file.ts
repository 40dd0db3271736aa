import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { World } from "../world.ts";
import { type Counts, readArchive, readOwnArchive } from "./read.ts";
import { createSeal, isSeal } from "./seal.ts";
import { archived } from "./write.ts";

const CHUNK_BYTES = 1024 * 1024;

/** The last line of an archive is its seal, which is short. */
const MAX_SEAL_BYTES = 256;

/** Throws an ArchiveError, or an Error of the file. */
export async function loadArchive(world: World, file: string): Promise<Counts> {
  const read = (await isSealed(file)) ? readOwnArchive : readArchive;
  return read(world, bytesOf(file));
}

const bytesOf = (file: string, end?: number) => createReadStream(file, { highWaterMark: CHUNK_BYTES, end });

/** Whether nobody has changed the file since a sandbox wrote it. */
async function isSealed(file: string): Promise<boolean> {
  const { size } = await stat(file);
  const from = Math.max(0, size - MAX_SEAL_BYTES);
  const last = await text(createReadStream(file, { start: from }));
  const [, line = ""] = /([^\n]+\n)$/.exec(last) ?? [];
  const end = size - line.length;
  if (!isSeal(line) || end === 0) return false;
  const seal = createSeal();
  for await (const bytes of bytesOf(file, end - 1)) seal.add(bytes);
  return seal.line() === line;
}

/** An earlier archive stays until the new one is whole. */
export async function saveArchive(world: World, file: string): Promise<void> {
  const part = createWriteStream(`${file}.part`);
  const closed = new Promise<void>((resolve) => part.once("close", () => resolve()));
  try {
    await pipeline(archived(world), part);
  } catch (error) {
    await closed;
    await rm(part.path, { force: true });
    throw error;
  }
  await rename(part.path, file);
}
