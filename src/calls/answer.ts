import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { CallRequest, CallResult } from "../domain/call.ts";

const DEFAULT_MAX_BYTES = 1024 * 1024;

export class TooLarge extends Error {
  readonly code = "ETOOLARGE";
}

/** The answer as bytes, or as a stream under the same cap. `end` is called when its body has ended, however it does. */
export async function takeAnswer(
  request: CallRequest,
  got: Dispatcher.ResponseData<unknown>,
  end: () => void,
): Promise<CallResult> {
  const headers = Object.fromEntries(
    Object.entries(got.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
  // We ask for `identity`; an answer that is compressed all the same could be a bomb.
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

async function* cap(body: Readable, most: number, end: () => void): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += (chunk as Uint8Array).byteLength;
      if (size > most) throw new TooLarge(`more than ${most} bytes`);
      yield chunk as Uint8Array;
    }
  } finally {
    end();
    discard(body);
  }
}

/** A body dropped half-read emits an error; without a listener it would end the process. */
function discard(body: Readable): void {
  body.on("error", () => {});
  body.destroy();
}

const toWeb = (chunks: AsyncGenerator<Uint8Array>) =>
  Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>;
