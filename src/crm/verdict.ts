import { type Answer, answerJson } from "gangway-messenger/call";
import { cutText } from "gangway-messenger/text";
import type { z } from "zod";
import { errorBody } from "./wire.ts";

export type CrmFault =
  | "not-a-crm"
  | "unreachable"
  | "blocked"
  | "wrong-key"
  | "no-account"
  | "no-access"
  | "unpaid"
  | "gateway-off"
  | "busy"
  | "refused";

/** A failed CRM call. `detail` is the CRM's error text, cleaned; never a key. */
export class CrmError extends Error {
  readonly reason: CrmFault;
  readonly detail: string;
  constructor(reason: CrmFault, detail = "") {
    super(detail ? `CRM: ${reason} (${detail})` : `CRM: ${reason}`);
    this.name = "CrmError";
    this.reason = reason;
    this.detail = detail;
  }
}

/** The CRM itself did not answer, so a retry may help. */
export const isAway = ({ reason }: CrmError): boolean => ["unreachable", "busy", "not-a-crm"].includes(reason);

/** A CRM has answered, though with a refusal. */
export const isCrm = (error: CrmError): boolean =>
  !isAway(error) && error.reason !== "blocked" && error.reason !== "no-account";

/** Maximum length of `detail`, UTF-16 units. */
const MAX_DETAIL_LENGTH = 300;

/** Parses a successful answer. Throws CrmError. */
export function readAnswer<Schema extends z.ZodType>(answer: Answer, schema: Schema, apiKey?: string): z.infer<Schema> {
  const body = answerJson(answer);
  if (body === undefined) throw unavailability(answer.status, "") ?? new CrmError("not-a-crm");
  const read = schema.safeParse(body);
  if (answer.status >= 200 && answer.status < 300 && read.success) return read.data;
  throw refusal(answer.status, body, apiKey);
}

/** Unavailability, judged by the status alone: a proxy may have sent it. */
function unavailability(status: number, detail: string): CrmError | undefined {
  if (status === 429 || status === 503) return new CrmError("busy", detail);
  if (status >= 500) return new CrmError("unreachable", detail || `status ${status}`);
  return undefined;
}

/** Only a body in the CRM's shape is a refusal; any other comes from a proxy in between. */
function refusal(status: number, body: unknown, apiKey?: string): CrmError {
  const read = errorBody.safeParse(body);
  const error = read.success ? read.data : {};
  const message = error.errorMsg ?? "";
  if (status < 500 && (!read.success || (error.success !== false && !message)))
    return unavailability(status, "") ?? new CrmError("not-a-crm");
  const fields = Object.values(error.errors ?? {}).filter((value) => typeof value === "string");
  const text = [message, ...fields].join("; ");
  const shown = (apiKey ? text.replaceAll(apiKey, "***") : text).replace(/\p{Cc}+/gu, " ");
  const detail = cutText(shown, MAX_DETAIL_LENGTH);
  const known = unavailability(status, detail);
  if (known) return known;
  if (status === 402) return new CrmError("unpaid", detail);
  if (/apiKey/i.test(message) || status === 401) return new CrmError("wrong-key", detail);
  if (/account does not exist/i.test(message)) return new CrmError("no-account", detail);
  if (status === 403 || /access denied/i.test(message)) return new CrmError("no-access", detail);
  return new CrmError(/gateway|chat|activate module/i.test(detail) ? "gateway-off" : "refused", detail);
}
