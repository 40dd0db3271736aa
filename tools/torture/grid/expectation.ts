import { REFUSALS } from "#product/gateway/sending";
import { type Cell, legOf } from "./cells.ts";

/** Statuses with which a messenger's refusal may end a message; the others mean a retry or a bad credential. */
const MAY_END_AT_MESSENGER = ["400", "403", "404", "405", "409", "413", "415", "422"];
/** Statuses that always end it. */
const SURE_AT_MESSENGER = ["400", "403"];

/** The gateway's refusals of a request: each ends it. None of what the CRM and the sandbox's own requests carry. */
const refusalsOf = (operation: string): string[] =>
  ((REFUSALS as Record<string, readonly number[]>)[operation] ?? []).map(String);

/** Allowed and required outcomes of the messages that meet a cell's fault. */
export interface Expectation {
  /** A contract refusal may end a message. */
  mayEnd: boolean;
  /** The refused message must end with the refusal's reason. */
  mustEnd: boolean;
  /** The chat must report it to the agent, once. */
  mustReport: boolean;
  /** A false success, indistinguishable from a real one. */
  lie: boolean;
  /** The messenger may have the message, so it may appear twice. */
  doubtful: boolean;
  /** After two doubtful answers the message may end as unknown. */
  mayGiveUp: boolean;
}

export function expectationOf(cell: Cell): Expectation {
  const { status, body, when, span } = cell;
  const leg = legOf(cell);
  const atMessenger = leg.operation.startsWith("telegram:");
  const agreed = (body === "contract" || body === "drip") && !leg.sends;
  const success = status === "200" || status === "201";
  // The messenger refuses with `ok: false` in the body; a file's body is only the file.
  const saysNo = atMessenger && when === "before" && !(leg.operation === "telegram:file" && status === "200");
  const odd = saysNo && (success || status.startsWith("3"));
  const [may, must] = atMessenger
    ? [MAY_END_AT_MESSENGER, SURE_AT_MESSENGER]
    : Array(2).fill(refusalsOf(leg.operation));
  const mayEnd = agreed && !leg.anew && (odd || may.includes(status));
  const sure = must.includes(status);
  const doubtful = leg.keyless === true && !mayEnd;
  const mustEnd = mayEnd && sure && leg.ends === true && when === "before";
  return {
    mayEnd,
    mustEnd,
    mustReport: mustEnd && leg.reports === true,
    lie: leg.vague === true && success && (body === "json" || (agreed && when === "before")),
    doubtful,
    mayGiveUp: doubtful && span !== "one",
  };
}
