import { z } from "zod";
import type { Config } from "../config.ts";
import { CrmError, createCrm } from "../crm/client.ts";
import { type Account, works } from "../domain/account.ts";
import type { Call } from "../domain/call.ts";
import { INBOUND_PATIENCE_MS } from "../domain/delivery.ts";
import type { AccountId } from "../domain/ids.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { turns } from "./turns.ts";

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

const flag = z
  .union([z.boolean(), z.enum(["0", "1", "true", "false", ""]), z.literal(0), z.literal(1)])
  .transform((value) => value === true || value === 1 || value === "1" || value === "true");
/** A CRM that says nothing of a freeze has not frozen. */
const posted = z.object({ active: flag, freeze: flag.nullish().transform((value) => value ?? false) });

/** `activity` as a JSON string, or in bracketed fields; both are seen (domain facts). */
function readActivity(form: URLSearchParams): z.infer<typeof posted> | undefined {
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

export function activity(parts: ActivityParts): Activity {
  // Two switches close together: what is asked of the CRM last must also be stored last.
  const inTurn = turns();
  return async (form) => {
    const account = await parts.store.accounts.byClientId(form.get("clientId") ?? "");
    const said = readActivity(form);
    if (!account || !said) return { success: false };
    await inTurn(account.id, () => apply(parts, account.id, { active: said.active, frozen: said.freeze }));
    return { success: true };
  };
}

type State = Pick<Account, "active" | "frozen">;

async function apply(parts: ActivityParts, id: AccountId, said: State): Promise<void> {
  const account = await parts.store.accounts.byId(id);
  if (!account) return;
  const state = await confirmed(parts, account, said);
  await parts.store.accounts.setActivity(account.id, state, INBOUND_PATIENCE_MS);
  parts.log.info("account.activity", { account: account.id, ...state });
  if (works(state)) parts.activated({ ...account, ...state });
}

/**
 * The callback carries no signature and its address field is a way to take an account over: what it says is asked
 * of the CRM again, with the stored key at the stored address. A CRM that cannot be reached leaves only its word.
 */
async function confirmed(parts: ActivityParts, account: Account, said: State): Promise<State> {
  try {
    const crm = createCrm({ call: parts.call, crmUrl: account.crmUrl, apiKey: account.apiKey });
    const { active, frozen } = await crm.readModule(parts.config.module.code);
    return { active, frozen };
  } catch (error) {
    if (!(error instanceof CrmError)) throw error;
    parts.log.warn("account.activity-unconfirmed", { account: account.id, reason: error.reason });
    return said;
  }
}
