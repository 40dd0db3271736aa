/** The answer's `parameters`, for programs. */
export interface RefusalParameters {
  /** Seconds. */
  retry_after?: number;
  migrate_to_chat_id?: number;
}

/** The Bot API's `ok: false`. */
export class BotRefusal extends Error {
  readonly code: number;
  readonly parameters: RefusalParameters | undefined;
  constructor(code: number, description: string, parameters?: RefusalParameters) {
    super(description);
    this.name = "BotRefusal";
    this.code = code;
    this.parameters = parameters;
  }
}

export class PhoneRefusal extends Error {
  readonly status: 400 | 404;
  constructor(status: 400 | 404, message: string) {
    super(message);
    this.name = "PhoneRefusal";
    this.status = status;
  }
}

/** An unreadable request; `bare` is the reason without prefixes. */
export class Malformed extends BotRefusal {
  readonly bare: string;
  constructor(bare: string) {
    super(400, `Bad Request: ${uncapitalized(bare)}`);
    this.name = "Malformed";
    this.bare = bare;
  }
}

/** Telegram lower-cases a reason unless it is a code: `MESSAGE_EMPTY`, `BUTTON_DATA_INVALID`. */
const uncapitalized = (text: string): string =>
  /^.[_A-Z]/.test(text) ? text : `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

export const badRequest = (text: string): BotRefusal => new BotRefusal(400, `Bad Request: ${text}`);
export const forbidden = (text: string): BotRefusal => new BotRefusal(403, `Forbidden: ${text}`);
export const tooMany = (seconds: number): BotRefusal =>
  new BotRefusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
