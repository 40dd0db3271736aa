import type { z } from "zod";
import { type Answer, answerJson } from "../domain/call.ts";
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

/** The CRM did not do as asked. `detail` is the CRM's own words, cleaned; never a key. */
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

/** The CRM itself has not spoken: nobody answered, or something between us and it did. It may the next time. */
export const isAway = ({ reason }: CrmError): boolean => ["unreachable", "busy", "not-a-crm"].includes(reason);

/** Longest part of the CRM's words that is kept, UTF-16 units. */
const DETAIL_LENGTH = 300;

/** The body of a success, as its schema reads it. Throws CrmError. */
export function readAnswer<Schema extends z.ZodType>(answer: Answer, schema: Schema, apiKey: string): z.infer<Schema> {
  const body = answerJson(answer);
  if (body === undefined) throw absence(answer.status, "") ?? new CrmError("not-a-crm");
  const read = schema.safeParse(body);
  if (answer.status >= 200 && answer.status < 300 && read.success) return read.data;
  throw refusal(answer.status, body, apiKey);
}

/** What the status alone tells, whoever said it. */
function absence(status: number, detail: string): CrmError | undefined {
  if (status === 429 || status === 503) return new CrmError("busy", detail);
  if (status >= 500) return new CrmError("unreachable", detail || `status ${status}`);
  return undefined;
}

/** Only a body in the CRM's own shape refuses; any other is a page of something between us and it. */
function refusal(status: number, body: unknown, apiKey: string): CrmError {
  const read = errorBody.safeParse(body);
  const said = read.success ? read.data : {};
  const words = said.errorMsg ?? "";
  if (status < 500 && (!read.success || (said.success !== false && !words)))
    return absence(status, "") ?? new CrmError("not-a-crm");
  const fields = Object.values(said.errors ?? {}).filter((value) => typeof value === "string");
  const detail = [words, ...fields]
    .join("; ")
    .replaceAll(apiKey, "***")
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, DETAIL_LENGTH);
  const known = absence(status, detail);
  if (known) return known;
  if (status === 402) return new CrmError("unpaid", detail);
  if (/apiKey/i.test(words) || status === 401) return new CrmError("wrong-key", detail);
  if (/account does not exist/i.test(words)) return new CrmError("no-account", detail);
  if (status === 403 || /access denied/i.test(words)) return new CrmError("no-access", detail);
  return new CrmError(/gateway|chat|activate module/i.test(detail) ? "gateway-off" : "refused", detail);
}
