import { DeliveryError, errorText } from "gangway-messenger/errors";
import { cutText } from "gangway-messenger/text";
import { CrmError } from "../../crm/verdict.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { ConnectFault } from "../connecting/key-trial.ts";

/** The outcome for an account, actual or in a dry run. In English for the operator; holds no secrets. */
export interface AccountReport {
  /** CRM address, as the former module has it. */
  crm: string;
  account?: AccountId;
  outcome: "imported" | "already here" | "given back" | "nothing to give back" | "not finished" | "refused";
  why?: string;
  todo?: string;
  /** Changes made, or in a dry run expected. */
  changes: string[];
  logins: LoginReport[];
}

export interface LoginReport {
  name: string;
  /** Id of the login's channel at the gateway. */
  gatewayChannelId?: string;
  outcome: AccountReport["outcome"] | "stopped" | "left out";
  why?: string;
  todo?: string;
}

export type Refusal = Required<Pick<AccountReport, "why" | "todo">>;

/** Aborts the work on an account or login; `refusal` says why. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(why: string, todo: string) {
    super(why);
    this.name = "Refused";
    this.refusal = { why, todo };
  }
}

export const AGAIN = "import again later: what is done is kept";
export const UNDO_AGAIN = "run --undo again later: what is done is kept";

const MAX_WORDS = 200;

/** Whether the CRM may have acted although its answer was lost. */
export const isPerhapsDone = ({ reason }: CrmError): boolean => ["unreachable", "busy", "not-a-crm"].includes(reason);

type Outcome = Pick<AccountReport, "outcome" | "why" | "todo">;

/** The outcome for an account whose processing failed with this error. */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof Refused) return { outcome: "refused", ...error.refusal };
  if (error instanceof CrmError) {
    const { reason: code, detail } = error;
    return { outcome: isPerhapsDone(error) ? "not finished" : "refused", ...faultInWords({ code, detail }) };
  }
  if (!(error instanceof DeliveryError)) return unexpected(error);
  const isFinal = error.verdict.type === "reject" || error.verdict.type === "reconnect";
  return { outcome: isFinal ? "refused" : "not finished", why: error.message, todo: AGAIN };
}

/** A bug here ends the work on one account only. Later lines of database errors hold values: drop them. */
function unexpected(error: unknown): Outcome {
  const [line = ""] = errorText(error).split("\n", 1);
  const name = error instanceof Error ? error.name : "Error";
  const why = `this program has failed (${name}: ${cutText(line, MAX_WORDS)})`;
  return { outcome: "not finished", why, todo: "run the command again; if it fails again, report it with these words" };
}

const WORDS: Record<Exclude<ConnectFault["code"], "rights">, Refusal> = {
  "address-form": { why: "its CRM address is no address", todo: "correct it in the former module's database" },
  "address-host": { why: "its CRM address is not among CRM_HOSTS", todo: "add the host to CRM_HOSTS if it is a CRM's" },
  "key-missing": { why: "its API key is missing or no key", todo: "have the merchant connect by the form" },
  "too-many": { why: "too many keys were tried", todo: AGAIN },
  version: { why: "its CRM does not know version 5 of the API", todo: "have the merchant update the CRM" },
  "connected-elsewhere": {
    why: "another account here has this gateway token",
    todo: "look at it with gangway accounts list",
  },
  "not-a-crm": { why: "its address does not answer as a CRM", todo: AGAIN },
  unreachable: { why: "its CRM does not answer", todo: AGAIN },
  blocked: { why: "its CRM address leads to a private network", todo: "check the address" },
  "wrong-key": { why: "its CRM refuses the API key", todo: "have the merchant connect by the form with a new key" },
  "no-account": { why: "its CRM account does not exist any more", todo: "leave it out" },
  "no-access": {
    why: "its API key lacks a right",
    todo: "have the merchant allow the key integration_read and integration_write, then import again",
  },
  unpaid: { why: "its CRM account has not paid for the module", todo: "import again once it has" },
  "gateway-off": {
    why: "chats are switched off in its CRM",
    todo: "have the merchant switch them on, then import again",
  },
  busy: { why: "its CRM is busy", todo: AGAIN },
  refused: { why: "its CRM refuses the module", todo: "read its words" },
};

/** Explains a connection fault to the operator. */
export function faultInWords(fault: ConnectFault): Refusal {
  if (fault.code === "rights")
    return { ...WORDS["no-access"], why: `its API key lacks ${fault.missing.join(" and ")}` };
  const { why, todo } = WORDS[fault.code];
  const detail = "detail" in fault ? fault.detail : "";
  return { why: detail ? `${why} (${detail})` : why, todo };
}
