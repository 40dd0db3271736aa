// What no published source tells of the real CRM and gateway, and what is assumed until a probe observes it.

export type Value = string | number | boolean;

interface Observable {
  what: string;
  assumed: Value;
  /** Values that the sandbox can be set to; absent: any number. */
  values?: readonly Value[];
  /** A duration in ms, which is measured with some inaccuracy. */
  isTime?: true;
}

const TEXTS = ["Message with passed external_id already exists", "message with passed external_id already exists"];
const YES_NO = [true, false] as const;
const FOR_NEW = [200, 201] as const;

/** Keyed by the sandbox's setting names. */
export const OBSERVABLE = {
  webhookRetryForMs: { what: "for how long a failed webhook is sent again, ms", assumed: 120_000, isTime: true },
  webhookTimeoutMs: { what: "how long a webhook's answer is awaited, ms", assumed: 10_000, isTime: true },
  webhookData: { what: "a webhook's data", assumed: "object", values: ["object", "text"] },
  callbackRetryForMs: {
    what: "for how long a failed call to the module is made again, ms",
    assumed: 120_000,
    isTime: true,
  },
  callbackTimeoutMs: {
    what: "how long the answer to a call to the module is awaited, ms",
    assumed: 10_000,
    isTime: true,
  },
  ackDeadlineMs: { what: "how long an ack is awaited, ms", assumed: 600_000, isTime: true },
  rateWindow: { what: "window of the gateway's rate limit", assumed: "sliding", values: ["sliding", "fixed"] },
  refusedCount: { what: "refused requests count against the limit", assumed: false, values: YES_NO },
  endpointPath: { what: "the endpointUrl has the API's path", assumed: true, values: YES_NO },
  endpointSlash: { what: "the endpointUrl ends with a slash", assumed: true, values: YES_NO },
  duplicateText: { what: "answer to a known external_id", assumed: TEXTS[0] ?? "", values: TEXTS },
  channelStatus: { what: "status for a new channel", assumed: 201, values: FOR_NEW },
  templateStatus: { what: "status for a new template", assumed: 200, values: FOR_NEW },
  emptySuccess: { what: "body of an empty success", assumed: "object", values: ["object", "nothing"] },
  moduleStatus: { what: "status for a registered module", assumed: 200, values: FOR_NEW },
  repeatedAck: { what: "what a second ack does", assumed: "overwrite", values: ["overwrite", "ignore", "refuse"] },
  normalize: { what: "changes in a module's texts", assumed: "trim", values: ["none", "trim", "trim+escape"] },
  unannounced: { what: "a message beyond what the channel announced", assumed: "refuse", values: ["refuse", "accept"] },
  markup: { what: "notation of formatting", assumed: "none", values: ["none", "markdown"] },
  readWebhooks: { what: "message_read for each message, or the last", assumed: "each", values: ["each", "last"] },
  deleteAnswer: { what: "message in the answer to a deletion", assumed: "deleted", values: ["deleted", "previous"] },
  accountPage: { what: "where the account page opens", assumed: "tab", values: ["tab", "iframe"] },
  disabledModule: { what: "calls of a disabled module", assumed: "accept", values: ["accept", "refuse"] },
  endpointInModule: { what: "reading a module returns endpointUrl", assumed: false, values: YES_NO },
  crmPerSecond: { what: "the CRM's requests per second and key, 0: no limit", assumed: 10 },
  crmTooMany: { what: "status beyond that limit", assumed: 503, values: [503, 429] },
  crmJson: { what: "a form sent as JSON", assumed: "read", values: ["read", "ignore"] },
  filterEntries: { what: "a filter by an unknown entry", assumed: "refuse", values: ["refuse", "nothing"] },
  waitingWarningMs: { what: "when an unanswered chat turns to warning, ms", assumed: 300_000, isTime: true },
  waitingDangerMs: { what: "when an unanswered chat turns to danger, ms", assumed: 900_000, isTime: true },
} as const satisfies Record<string, Observable>;
export type Unknown = keyof typeof OBSERVABLE;

const RECORDS = "it takes customers or orders, which the probe does not write: they could not be removed";
const FIRMS = "it takes corporate customers, which the probe neither writes nor switches on: there is no way back";

/** Unknowns that cannot be observed, and why. */
export const UNOBSERVABLE: Record<string, string> = {
  activityOnShutdown: "switching chats off would disable every module of the account, and none comes back by itself",
  webhookSignature: "it is Meta's, not the CRM's: an app of the vendor's at Meta shows it",
  indivisibleDiscount: RECORDS,
  orderPayments: RECORDS,
  deliverySave: RECORDS,
  removedFields: RECORDS,
  productOffer: "it takes a product, which the probe does not write: it could not be removed",
  orderMainParties: FIRMS,
  corporateTags: FIRMS,
  corporateSwitch: FIRMS,
  corporateOff: FIRMS,
  corporateHistory: FIRMS,
  firstCompanyMain: FIRMS,
};

/** Tolerance of a measured duration: a share, and a minimum in ms. */
const [SHARE, LEAST_MS] = [0.1, 700];
const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= Math.max(LEAST_MS, other * SHARE);

export interface Seen {
  value: Value;
  /** The measurement was cut off: the duration is longer than `value`. */
  atLeast?: true;
}
export type Verdict = "confirmed" | "contradicted" | "not seen";

export function verdictOn(name: Unknown, seen: Seen | undefined): Verdict {
  if (!seen) return "not seen";
  const { assumed, isTime }: Observable = OBSERVABLE[name];
  const { value, atLeast } = seen;
  if (!isTime) return value === assumed ? "confirmed" : "contradicted";
  const [ms, expected] = [Number(value), Number(assumed)];
  if (atLeast) return ms > expected && !isNear(ms, expected) ? "contradicted" : "not seen";
  return isNear(ms, expected) ? "confirmed" : "contradicted";
}

/** The sandbox setting that reproduces the observation; undefined if there is none. */
export function settingOf(name: Unknown, seen: Seen): Value | undefined {
  const { assumed, values, isTime }: Observable = OBSERVABLE[name];
  if (verdictOn(name, seen) === "confirmed") return assumed;
  if (seen.atLeast) return undefined;
  if (values) return values.find((value) => value === seen.value);
  return isTime ? rounded(Number(seen.value)) : seen.value;
}

/** Rounds to a plausible limit: nobody configures 9,973 ms. */
const rounded = (ms: number): number => {
  const unit = ms < 10_000 ? 500 : 1_000;
  return Math.round(ms / unit) * unit;
};
