import { type Answer, answerText } from "../domain/call.ts";
import { parseJson } from "./json.ts";
import { errorAnswer } from "./wire.ts";

// Tells the gateway's own answers from those of proxies in between: error pages, redirects, truncated bodies.

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** The body as JSON; undefined when it is not JSON. */
export function bodyOf(answer: Answer): unknown {
  try {
    return parseJson(answerText(answer));
  } catch {
    return undefined;
  }
}

/** A refusal's errors; undefined when the body is not the contract's `{"errors": [text, …]}`. */
export function errorsOf(answer: Answer): string[] | undefined {
  const errors = errorAnswer.safeParse(bodyOf(answer)).data?.errors;
  return errors && errors.length > 0 ? errors : undefined;
}

/** Whether the gateway itself answered: a readable success, or a refusal in the contract's shape. */
export const isGatewayAnswer = (answer: Answer): boolean => {
  if (!isSuccess(answer)) return errorsOf(answer) !== undefined;
  return bodyOf(answer) !== undefined || (answer.status === 200 && answer.bytes.length === 0);
};

const isObject = (answer: Answer): boolean => {
  const body = bodyOf(answer);
  return typeof body === "object" && body !== null && !Array.isArray(body);
};

/** Whether a call whose success is an empty object succeeded. */
export type EmptyAnswers = (operation: string, answer: Answer) => boolean;

/**
 * It is undocumented whether the gateway omits an empty object: an empty body counts as success only until the operation
 * answers with an object, on any account.
 */
export function emptyAnswers(): EmptyAnswers {
  const objects = new Set<string>();
  return (operation, answer) => {
    if (!isSuccess(answer) || errorsOf(answer)) return false;
    if (answer.bytes.length === 0) return answer.status === 200 && !objects.has(operation);
    if (!isObject(answer)) return false;
    objects.add(operation);
    return true;
  };
}
