/** A refusal in MAX's own shape. Words without a source in public repositories are marked (u) where they are thrown. */
export class MaxRefusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message = "") {
    super(message);
    this.name = "MaxRefusal";
    this.status = status;
    this.code = code;
  }
}

export const badPayload = (message: string): MaxRefusal => new MaxRefusal(400, "proto.payload", message);
export const missing = (name: string): MaxRefusal => badPayload(`Missing required parameter: ${name}`);
export const badToken = (): MaxRefusal => new MaxRefusal(401, "verify.token", "Invalid access_token");
export const suspended = (chatId: number): MaxRefusal =>
  new MaxRefusal(403, "chat.denied", `Key: error.dialog.suspended, args: [${chatId}].`);
export const notReady = (): MaxRefusal => new MaxRefusal(400, "attachment.not.ready");
/** (u): the code's name. */
export const tooMany = (): MaxRefusal => new MaxRefusal(429, "too.many.requests", "Too many requests");
/** (u): code and words. */
export const notFound = (what: string): MaxRefusal => new MaxRefusal(404, `${what}.not.found`, `No such ${what}`);
/** (u): code and words. */
export const notAllowed = (message: string): MaxRefusal => new MaxRefusal(405, "method.not.allowed", message);

/** What MAX says with a status that a fault plans. */
export function refusalOf(status: number): MaxRefusal {
  if (status === 400) return badPayload("Invalid request");
  if (status === 401) return badToken();
  if (status === 403) return new MaxRefusal(403, "chat.denied", "Access denied");
  if (status === 404) return notFound("chat");
  if (status === 405) return notAllowed("Method not allowed");
  if (status === 429) return tooMany();
  return new MaxRefusal(status, "internal.error", "Internal error");
}
