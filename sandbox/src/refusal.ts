export type RefusalStatus = 400 | 401 | 402 | 403 | 404 | 413 | 429;

/** The CRM or the gateway says no, in its own words; `rule` names for the call log which rule it was. */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly rule: string;
  constructor(status: RefusalStatus, message: string, rule: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.rule = rule;
  }
}
