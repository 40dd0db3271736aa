/** A call's data. `$name` is a value that an earlier step kept; `$n` a number that is new with each call. */
export interface CallData {
  /** An entity with both names is called by the one that `by` (`entityBy`) says. */
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  form?: Record<string, unknown>;
  /** A raw body. */
  bytes?: string;
  /** A file of a multipart form. */
  file?: string;
}

/** A call that must succeed. */
export interface Step extends CallData {
  /** An operation's id, or `POST /path`, also of the sandbox's control API, or of its agent. `$name` as in data. */
  call: string;
  /** Values to keep by name, each with its path in the answer. */
  keep?: Record<string, string>;
}

/** A call that must be refused, in a state of its own. */
export interface Refused extends CallData {
  before?: Step[];
  after?: Step[];
}

/** What drives one operation; the rest follows from the contract. */
export interface Scenario extends CallData {
  /** Steps before each of its calls. */
  before?: Step[];
  keep?: Record<string, string>;
  /** More calls that must succeed. */
  also?: CallData[];
  /** Values with which a parameter finds something, where the list's own entries do not show them. */
  finds?: Record<string, unknown>;
  /** Values with which it finds nothing. */
  findsNot?: Record<string, unknown>;
  /** More of the form, by the choice that needs it: `task.customer.type=customer_corporate`. */
  choices?: Record<string, CallData>;
  /** Calls that must be refused: they provoke what the contract has recorded. */
  refused?: Refused[];
  /** What cannot be provoked, by the report's name for it, and why. */
  never?: Record<string, string>;
}

/** A part of the CRM. Operations are driven in this order. */
export interface Area {
  setting?: Step[];
  operations: Record<string, Scenario>;
}
