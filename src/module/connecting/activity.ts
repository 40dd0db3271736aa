import * as z from "zod";
import type { Store } from "../../store/store.ts";
import type { Confirmation, Switches } from "./confirmation.ts";
import type { Follow } from "./whereabouts.ts";

/** Handles the CRM's callback that the module was switched on or off, or frozen. */
export type Activity = (form: URLSearchParams) => Promise<{ success: boolean }>;

export interface ActivityParts {
  store: Pick<Store, "accounts">;
  confirmation: Pick<Confirmation, "ask">;
  follow: Follow;
}

const flag = z
  .union([z.boolean(), z.enum(["0", "1", "true", "false", ""]), z.literal(0), z.literal(1)])
  .transform((value) => value === true || value === 1 || value === "1" || value === "true");
/** A missing `freeze` means not frozen. */
const posted = z
  .object({ active: flag, freeze: flag.nullish().transform((value) => value ?? false) })
  .transform(({ active, freeze }): Switches => ({ active, frozen: freeze }));

/** `activity` comes as a JSON string or as bracketed fields (domain facts). */
function readActivity(form: URLSearchParams): Switches | undefined {
  const json = form.get("activity");
  if (json === null) {
    const bracketed = { active: form.get("activity[active]"), freeze: form.get("activity[freeze]") };
    return posted.safeParse(bracketed).data;
  }
  try {
    return posted.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/**
 * The callback is unsigned, and trusting its address field would allow an account takeover. So it only triggers questions:
 * to both addresses, without a key, and to the CRM with the stored key at the stored address.
 */
export function createActivity({ store, confirmation, follow }: ActivityParts): Activity {
  return async (form) => {
    const account = await store.accounts.byClientId(form.get("clientId") ?? "");
    const reported = readActivity(form);
    if (!account || !reported) return { success: false };
    await follow(account, form.get("systemUrl") ?? "");
    await confirmation.ask(account.id, reported);
    return { success: true };
  };
}
