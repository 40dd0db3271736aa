import { DeliveryError } from "../delivery/delivery.ts";
import type { Answer } from "./call.ts";

// A proxy may answer a file request with an error page, or with half of the file.

/** Whether the answer is an HTML page although another type of file was expected. */
export function isHtmlPage({ headers }: Answer, expected: { mediaType?: string; name?: string }): boolean {
  const html = /^(text\/html|application\/xhtml)/i;
  if (!html.test(headers["content-type"] ?? "")) return false;
  return !html.test(expected.mediaType ?? "") && !/\.x?html?$/i.test(expected.name ?? "");
}

/** Passes the bytes through; fails with a DeliveryError if their number is not `size`. */
export function expectSize(body: ReadableStream<Uint8Array>, size: number | undefined): ReadableStream<Uint8Array> {
  if (!size) return body;
  let seen = 0;
  const wrong = () => DeliveryError.foreign(`the file does not have the announced ${size} bytes`, 200);
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

/** Maximum number of bytes read of a refusal. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** A streamed answer with the start of its body as bytes: for refusals, which are not files. */
export async function withBufferedBody(answer: Answer): Promise<Answer> {
  if (!answer.stream) return answer;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.stream) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // A body that breaks off is no refusal.
    return { ...answer, bytes: new Uint8Array(), stream: undefined };
  }
  return { ...answer, bytes: Buffer.concat(chunks), stream: undefined };
}
