// The vendor's controls: pausing accounts and channels, and an account's own limits.

export const MAX_REASON = 500;
/** Control characters, line ends, invisible characters and direction marks. */
const NOT_PLAIN = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

/** Why a text cannot be shown to a merchant as a reason; undefined when it can. */
export function reasonFault(reason: string): string | undefined {
  if (reason.trim() === "") return "A reason is needed: the merchant reads it";
  if ([...reason.trim()].length > MAX_REASON) return `The reason is too long: at most ${MAX_REASON} characters`;
  return NOT_PLAIN.test(reason.trim()) ? "The reason is one line of plain text" : undefined;
}

/** As agents read it in the CRM; translated like other refusals (explanations.ts). */
export const pausedInWords = (vendor: string, reason: string): string => `Paused by ${vendor}: ${reason}`;

/** An account's own, instead of the server's. */
export interface AccountLimits {
  /** Calls at the same time, as in CALLS_PER_ACCOUNT. */
  calls?: number;
  /** Messages that may wait, as in JOBS_PER_ACCOUNT. */
  jobs?: number;
}
export type LimitName = keyof AccountLimits;
export const LIMITS: readonly LimitName[] = ["calls", "jobs"];

/** The range of each, as of the server's setting. */
export const LIMIT_RANGES: Record<LimitName, { min: number; max: number }> = {
  calls: { min: 1, max: 64 },
  jobs: { min: 10, max: 1_000_000 },
};

/** Of the stored JSON; what is out of range counts as absent. */
export function limitsIn(json: string): AccountLimits {
  const parsed = objectIn(json);
  const limits: AccountLimits = {};
  for (const name of LIMITS) {
    const { [name]: value } = parsed;
    const { min, max } = LIMIT_RANGES[name];
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) limits[name] = value;
  }
  return limits;
}

function objectIn(json: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(json) };
  } catch {
    return {};
  }
}
