/** Avito's own refusal (the document's errors). */
export class Refusal extends Error {
  readonly status: number;
  readonly body: object;
  constructor(status: number, message: string, body: object = { error: { code: status, message } }) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** The document's examples. */
const WORDS: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment required",
  403: "Forbidden",
  404: "Not found",
  429: "Too many requests",
  500: "Error while processing request. Please, contact support",
  503: "Service temporarily unavailable. Please, contact support",
};

export const refusal = (status: number, message = WORDS[status] ?? "Unknown error"): Refusal =>
  new Refusal(status, message);
export const invalid = (message: string): Refusal => new Refusal(400, message);
/** In OAuth's form (RFC 6749, 5.2). */
export const oauthRefusal = (status: number, error: string, words: string): Refusal =>
  new Refusal(status, words, { error, error_description: words });
