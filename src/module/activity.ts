import { z } from "zod";
import type { Store } from "../store/store.ts";
import type { Confirmation, Switches } from "./confirmation.ts";

/** The CRM's word that a person has switched the module, or that the CRM has frozen it. */
export type Activity = (form: URLSearchParams) => Promise<{ success: boolean }>;

export interface ActivityParts {
  store: Pick<Store, "accounts">;
  confirmation: Pick<Confirmation, "ask">;
}

const flag = z
  .union([z.boolean(), z.enum(["0", "1", "true", "false", ""]), z.literal(0), z.literal(1)])
  .transform((value) => value === true || value === 1 || value === "1" || value === "true");
/** A CRM that says nothing of a freeze has not frozen. */
const posted = z
  .object({ active: flag, freeze: flag.nullish().transform((value) => value ?? false) })
  .transform(({ active, freeze }): Switches => ({ active, frozen: freeze }));

/** `activity` as a JSON string, or in bracketed fields; both are seen (domain facts). */
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
 * The callback carries no signature and its address field is a way to take an account over: it is only a reason to ask
 * the CRM itself, with the stored key at the stored address.
 */
export function activity({ store, confirmation }: ActivityParts): Activity {
  return async (form) => {
    const account = await store.accounts.byClientId(form.get("clientId") ?? "");
    const said = readActivity(form);
    if (!account || !said) return { success: false };
    await confirmation.ask(account.id, said);
    return { success: true };
  };
}
