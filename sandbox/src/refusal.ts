export type RefusalStatus = 400 | 401 | 402 | 403 | 404 | 413 | 429;

/** An error answer of the CRM or the gateway; `rule` names the broken rule for the call log. */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly rule: string;
  /** Further fields of the answer. */
  readonly more: object;
  constructor(status: RefusalStatus, message: string, rule: string, more: object = {}) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.rule = rule;
    this.more = more;
  }
}
