import type { ChannelContext, ChannelSession } from "gangway-messenger/port";
import * as z from "zod";

/** Note of the last look. */
export const CHECKED = "looked";
/** Interval between two inspections, ms: Meta allows few calls an hour. */
const CHECK_MS = 300_000;
const checked = z.object({ at: z.number(), trouble: z.string().optional() });

/** Inspects every few minutes, and repeats the last result in between. */
export function inspecting(
  { notes, clock }: Pick<ChannelContext<unknown>, "notes" | "clock">,
  troubleOf: (signal: AbortSignal) => Promise<string | undefined>,
): NonNullable<ChannelSession["inspect"]> {
  return async (signal) => {
    const now = clock.now();
    const last = lastOf(await notes.get(CHECKED));
    if (last && now >= last.at && now - last.at < CHECK_MS) return last.trouble;
    const trouble = await troubleOf(signal);
    await notes.set([{ key: CHECKED, value: JSON.stringify({ at: now, trouble }) }]);
    return trouble;
  };
}

function lastOf(text: string | undefined): z.infer<typeof checked> | undefined {
  try {
    return checked.safeParse(JSON.parse(text || "null")).data;
  } catch {
    return undefined;
  }
}
