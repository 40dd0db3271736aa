export type Verdict =
  /** Certainly not delivered. `afterMs`: requested by the other side; obeyed, and costs no attempt. */
  | { type: "retry"; afterMs?: number }
  /** Certainly refused. */
  | { type: "reject"; code: ErrorCode; externalCode?: string }
  /** Perhaps delivered. `asked`: the messenger does not know either. `afterMs`: minimum delay; costs no attempt. */
  | { type: "unsure"; asked?: true; afterMs?: number }
  /** The credentials died: the lanes that need them rest until a person acts. */
  | { type: "reconnect" };

/** Statuses that mean "later" and say nothing about the message. */
const LATER = [408, 425, 429];

const DELIVERY_ERROR = Symbol.for("gangway-messenger/DeliveryError");

/**
 * A failed delivery. The message is for people and logs: no tokens, no message text. Another copy of this package makes the
 * same: an installed messenger brings its own.
 */
export class DeliveryError extends Error {
  readonly [DELIVERY_ERROR] = true;
  readonly verdict: Verdict;
  /** The failure is not the destination's: the job's data could not be fetched from the other side. */
  fromOtherSide = false;
  /** Status of an answer outside the other side's contract; if it keeps coming back, it is about this message. */
  foreignStatus?: number;
  /** Why a change was refused. */
  hindrance?: Hindrance;
  constructor(verdict: Verdict, message: string) {
    super(message);
    this.name = "DeliveryError";
    this.verdict = verdict;
  }

  /** An answer of unknown origin, such as a proxy's: not delivered, and no refusal either. */
  static foreign(message: string, status: number): DeliveryError {
    const error = new DeliveryError({ type: "retry" }, message);
    if (status < 500 && !LATER.includes(status)) error.foreignStatus = status;
    return error;
  }
}
Object.defineProperty(DeliveryError, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    // Kinds of it are told apart as usual.
    if (this !== DeliveryError) return Function.prototype[Symbol.hasInstance].call(this as typeof Error, value);
    return typeof value === "object" && value !== null && DELIVERY_ERROR in value;
  },
});

/** For errors before anything is sent: an unexpected one counts as a retry. */
export const notSent = (error: unknown): DeliveryError =>
  error instanceof DeliveryError ? error : new DeliveryError({ type: "retry" }, errorText(error));

/** Runs a step that comes before anything is sent. */
export async function beforeSending<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw notSent(error);
  }
}

/** The message of an error, or any thrown value as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` that Node, undici and SQLite put on their errors; otherwise undefined. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;

/** The gateway's own codes for a message that could not be delivered (contract: SendingErrorCode). */
export type ErrorCode = "general" | "customer_not_exists" | "reply_timed_out" | "spam_suspicion" | "access_restricted";

/** Why an existing message cannot be changed, if the messenger's reason is known. */
export interface Hindrance {
  code: "too-old" | "fixed" | "gone" | "blocked" | "forbidden" | "late";
  /** For `too-old`: how many hours the messenger allows. */
  about?: string;
}
