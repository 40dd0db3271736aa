import * as z from "zod";
import { type Answer, retryAfterMs } from "../../domain/call.ts";

/** The longest wait that is believed, ms. */
const LONGEST_MS = 600_000;
const MINUTE_MS = 60_000;

/** `X-Business-Use-Case-Usage`: by business, one record a use case; the wait in minutes. */
const byBusiness = z.record(z.string(), z.array(z.object({ estimated_time_to_regain_access: z.number().nullish() })));

/** How long Meta asks to wait, ms: a standard header, or its own of usage. Undefined: it does not say. */
export function waitAskedMs(answer: Answer, now: number): number | undefined {
  const standard = retryAfterMs(answer, now);
  if (standard !== undefined) return standard;
  const minutes = Math.max(0, ...usageOf(answer.headers["x-business-use-case-usage"]));
  return minutes > 0 ? Math.min(LONGEST_MS, minutes * MINUTE_MS) : undefined;
}

function usageOf(header: string | undefined): number[] {
  if (!header) return [];
  try {
    const usage = byBusiness.safeParse(JSON.parse(header)).data ?? {};
    return Object.values(usage).flatMap((cases) => cases.map((each) => each.estimated_time_to_regain_access ?? 0));
  } catch {
    return [];
  }
}
