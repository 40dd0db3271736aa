/** The gateway says no, in its own words; the answer is the contract's error body. */
export class Refusal extends Error {
  readonly status: 400 | 401 | 404;
  constructor(status: 400 | 401 | 404, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}
