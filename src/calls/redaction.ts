import { answerText, type Call } from "../domain/call.ts";

/**
 * The words of a refusal end on pages, in rows and at the other side: those of a side that repeats what it was sent come
 * without our secrets.
 */
export function withoutEchoes(call: Call, mask: (text: string) => string): Call {
  return async (request) => {
    const result = await call(request);
    if (result.type === "failure" || result.status < 400 || result.stream) return result;
    return { ...result, bytes: Buffer.from(maskedWords(answerText(result), mask)) };
  };
}

/** Names of JSON fields stay: what a refusal means is read from them. */
const FIELD = /("[\w-]+"\s*:)/;
const maskedWords = (text: string, mask: (text: string) => string): string =>
  text
    .split(FIELD)
    .map((piece) => (FIELD.test(piece) ? piece : mask(piece)))
    .join("");
