import { answerText, type Call, type CallResult } from "../domain/call/call.ts";
import { errorText } from "../domain/errors.ts";

/**
 * Masks our secrets in error answers and thrown errors: they may echo the request, and the text ends up on pages, in the
 * database and in acks.
 */
export function withoutEchoes(call: Call, mask: (text: string) => string): Call {
  const answered = (result: CallResult): CallResult => {
    if (result.type === "failure" || result.status < 400 || result.stream) return result;
    return { ...result, bytes: Buffer.from(maskValues(answerText(result), mask)) };
  };
  const thrown = (error: unknown) => {
    const [text, masked] = [errorText(error), mask(errorText(error))];
    throw masked === text ? error : new Error(masked);
  };
  return (request) => call(request).then(answered, thrown);
}

/** JSON field names stay: the verdict depends on them. */
const FIELD = /("[\w-]+"\s*:)/;
const maskValues = (text: string, mask: (text: string) => string): string =>
  text
    .split(FIELD)
    .map((piece) => (FIELD.test(piece) ? piece : mask(piece)))
    .join("");
