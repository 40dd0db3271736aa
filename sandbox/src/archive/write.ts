import type { World } from "../world.ts";
import { partsOf } from "./parts.ts";
import { createSeal } from "./seal.ts";

const CHUNK_CHARS = 64 * 1024;

/** The whole account as NDJSON. Records are those of the call, however slowly the text is read. */
export function archived(world: World): ReadableStream<Uint8Array> {
  const lines = [...partsOf(world).values()].flatMap((part) => part.lines(world));
  return ReadableStream.from(chunks(lines)).pipeThrough(new TextEncoderStream());
}

function* chunks(lines: readonly object[]): Generator<string> {
  const seal = createSeal();
  let chunk = "";
  for (const line of lines) {
    chunk += `${JSON.stringify(line)}\n`;
    if (chunk.length < CHUNK_CHARS) continue;
    seal.add(chunk);
    yield chunk;
    chunk = "";
  }
  seal.add(chunk);
  yield chunk + seal.line();
}
