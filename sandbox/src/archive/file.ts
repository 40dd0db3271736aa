import { createReadStream, createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { World } from "../world.ts";
import { type Counts, readArchive } from "./read.ts";
import { archived } from "./write.ts";

const CHUNK_BYTES = 1024 * 1024;

export const loadArchive = (world: World, file: string): Promise<Counts> =>
  readArchive(world, createReadStream(file, { highWaterMark: CHUNK_BYTES }));

/** An earlier archive stays until the new one is whole. */
export async function saveArchive(world: World, file: string): Promise<void> {
  await pipeline(archived(world), createWriteStream(`${file}.part`));
  await rename(`${file}.part`, file);
}
