import { type Answer, answerText } from "../domain/call/call.ts";
import { parseJson } from "./json.ts";
import { errorAnswer } from "./wire.ts";

// Tells the gateway's own answers from those of proxies in between: error pages, redirects, truncated bodies.

/** An answer and its body; undefined when it is not JSON. */
export type ReadAnswer = Answer & { body: unknown };

export const withBody = (answer: Answer): ReadAnswer => Object.assign(answer, { body: bodyOf(answer) });

function bodyOf(answer: Answer): unknown {
  try {
    return parseJson(answerText(answer));
  } catch {
    return undefined;
  }
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** A refusal's errors; undefined when the body is not the contract's `{"errors": [text, …]}`. */
export function errorsOf({ body }: ReadAnswer): string[] | undefined {
  const errors = errorAnswer.safeParse(body).data?.errors;
  return errors && errors.length > 0 ? errors : undefined;
}

/** Whether the gateway itself answered: a readable success, or a refusal in the contract's shape. */
export function isGatewayAnswer(answer: ReadAnswer): boolean {
  if (!isSuccess(answer)) return errorsOf(answer) !== undefined;
  return answer.body !== undefined || (answer.status === 200 && answer.bytes.length === 0);
}

/** Whether a call whose success is an empty object succeeded. */
export type EmptyAnswers = (operation: string, answer: ReadAnswer) => boolean;

/**
 * It is undocumented whether the gateway omits an empty object: an empty body counts as success only until the operation
 * answers with an object, on any account.
 */
export function emptyAnswers(): EmptyAnswers {
  const objects = new Set<string>();
  return (operation, answer) => {
    if (!isSuccess(answer)) return false;
    const { body } = answer;
    if (answer.bytes.length === 0) return answer.status === 200 && !objects.has(operation);
    if (typeof body !== "object" || body === null || Array.isArray(body) || errorsOf(answer)) return false;
    objects.add(operation);
    return true;
  };
}
