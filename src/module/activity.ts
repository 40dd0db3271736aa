import { z } from "zod";
import type { Config } from "../config.ts";
import { createCrm } from "../crm/client.ts";
import { type Account, works } from "../domain/account.ts";
import type { Call } from "../domain/call.ts";
import { INBOUND_PATIENCE_MS } from "../domain/delivery.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

/** The CRM's word that a person has switched the module, or that the CRM has frozen it. */
export type Activity = (form: URLSearchParams) => Promise<{ success: boolean }>;

export interface ActivityParts {
  config: Pick<Config, "module">;
  call: Call;
  store: Pick<Store, "accounts">;
  log: Log;
  /** After the module has been switched on. */
  activated(account: Account): void;
}

const flag = z.union([z.boolean(), z.enum(["0", "1", "true", "false", ""]), z.literal(0), z.literal(1)]);
const toFlag = flag.transform((value) => value === true || value === 1 || value === "1" || value === "true");
const activityJson = z.object({ active: toFlag, freeze: toFlag });

/** `activity` as a JSON string, or in bracketed fields; both are seen (domain facts). */
function readActivity(form: URLSearchParams): z.infer<typeof activityJson> | undefined {
  const json = form.get("activity");
  if (json === null) {
    const bracketed = { active: form.get("activity[active]"), freeze: form.get("activity[freeze]") };
    return activityJson.safeParse(bracketed).data;
  }
  try {
    return activityJson.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

export function activity(parts: ActivityParts): Activity {
  return async (form) => {
    const account = await parts.store.accounts.byClientId(form.get("clientId") ?? "");
    const posted = readActivity(form);
    if (!account || !posted) return { success: false };
    const state = await confirmed(parts, account, { active: posted.active, frozen: posted.freeze });
    await parts.store.accounts.setActivity(account.id, state, INBOUND_PATIENCE_MS);
    parts.log.info("account.activity", { account: account.id, ...state });
    if (works(state)) parts.activated({ ...account, ...state });
    return { success: true };
  };
}

/**
 * The callback carries no signature and its address field is a way to take an account over: what it says is asked
 * of the CRM again, with the stored key at the stored address. A CRM that cannot be reached leaves only its word.
 */
async function confirmed(parts: ActivityParts, account: Account, posted: Pick<Account, "active" | "frozen">) {
  try {
    const crm = createCrm({ call: parts.call, crmUrl: account.crmUrl, apiKey: account.apiKey });
    const { active, frozen } = await crm.readModule(parts.config.module.code);
    return { active, frozen };
  } catch (error) {
    parts.log.warn("account.activity-unconfirmed", { account: account.id, error: String(error) });
    return posted;
  }
}
