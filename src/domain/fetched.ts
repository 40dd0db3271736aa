import type { Answer } from "./call.ts";
import { DeliveryError } from "./delivery.ts";

// What was fetched as a file is not always the file: a proxy answers with a page of its own, or with half of it.

/** Whether the bytes are a web page where another kind of file was expected. */
export function isPage({ headers }: Answer, expected: { mediaType?: string; name?: string }): boolean {
  const html = /^(text\/html|application\/xhtml)/i;
  if (!html.test(headers["content-type"] ?? "")) return false;
  return !html.test(expected.mediaType ?? "") && !/\.x?html?$/i.test(expected.name ?? "");
}

/** The same bytes; breaks off with a DeliveryError when they are more or fewer than was told. */
export function ofSize(body: ReadableStream<Uint8Array>, size: number | undefined): ReadableStream<Uint8Array> {
  if (!size) return body;
  let seen = 0;
  const wrong = () => DeliveryError.stray(`the file has not the ${size} bytes that were told`, 200);
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > size) controller.error(wrong());
      else controller.enqueue(chunk);
    },
    flush(controller) {
      if (seen !== size) controller.error(wrong());
    },
  });
  return body.pipeThrough(count);
}

/** Most of a refusal that is read, bytes. */
const REFUSAL_BYTES = 64 * 1024;

/** An answer that came as a stream, with the beginning of its bytes: for what is no file but a refusal. */
export async function unstreamed(answer: Answer): Promise<Answer> {
  if (!answer.stream) return answer;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.stream) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= REFUSAL_BYTES) break;
    }
  } catch {
    // Half a body is no refusal.
    return { ...answer, bytes: new Uint8Array(), stream: undefined };
  }
  return { ...answer, bytes: Buffer.concat(chunks), stream: undefined };
}
