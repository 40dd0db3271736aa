import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { CallRequest, CallResult } from "../domain/call.ts";

const DEFAULT_MAX_BYTES = 1024 * 1024;

export class TooLarge extends Error {
  readonly code = "ETOOLARGE";
}

/** Reads the answer as bytes, or as a stream with the same cap. Calls `end` when the body ends or fails. Throws TooLarge. */
export async function takeAnswer(
  request: CallRequest,
  got: Dispatcher.ResponseData<unknown>,
  end: () => void,
): Promise<CallResult> {
  const headers = Object.fromEntries(
    Object.entries(got.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
  // We ask for `identity`; a compressed answer may be a decompression bomb.
  if (headers["content-encoding"] && headers["content-encoding"] !== "identity") {
    discard(got.body);
    throw new TooLarge("the answer is compressed");
  }
  const answer = { type: "answer" as const, status: got.statusCode, headers };
  const capped = cap(got.body, request.maxBytes ?? DEFAULT_MAX_BYTES, end);
  if (request.stream) return { ...answer, bytes: new Uint8Array(), stream: toWeb(capped) };
  const chunks: Uint8Array[] = [];
  for await (const chunk of capped) chunks.push(chunk);
  return { ...answer, bytes: Buffer.concat(chunks) };
}

async function* cap(body: Readable, max: number, end: () => void): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += (chunk as Uint8Array).byteLength;
      if (size > max) throw new TooLarge(`more than ${max} bytes`);
      yield chunk as Uint8Array;
    }
  } finally {
    end();
    discard(body);
  }
}

/** A body destroyed half-read emits an error, which would crash the process without a listener. */
function discard(body: Readable): void {
  body.on("error", () => {});
  body.destroy();
}

const toWeb = (chunks: AsyncGenerator<Uint8Array>) =>
  Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>;
