import { type Cell, legOf } from "./cells.ts";

/** Statuses with which the contract's own refusal may end a message; with the others it asks to be tried again, or of a credential. */
const FINAL = ["400", "404", "405", "409", "413", "415", "422"];
const FINAL_AT_MESSENGER = [...FINAL, "403"];
/** Those that leave no doubt. */
const SURE = ["400"];
const SURE_AT_MESSENGER = ["400", "403"];

/** What may become of the messages that fall under a cell's fault. */
export interface Expectation {
  /** A refusal of the contract: it may end a message. */
  mayEnd: boolean;
  /** … and the message that it is of must end, with its reason. */
  mustEnd: boolean;
  /** … and the agent must read of it in the chat, once. */
  mustTell: boolean;
  /** A success that is none, and that nobody can tell from one. */
  lie: boolean;
  /** Whether the messenger has it nobody can know: it may be there twice. */
  doubtful: boolean;
  /** … and after two such answers the agent may be told that nobody knows. */
  mayGiveUp: boolean;
}

export function expectationOf(cell: Cell): Expectation {
  const { status, body, when, span } = cell;
  const leg = legOf(cell);
  const atMessenger = leg.operation.startsWith("telegram:");
  const agreed = (body === "contract" || body === "drip") && !leg.sends;
  const success = status === "200" || status === "201";
  // The messenger says in the body whether it refuses: `ok` is false. Of a file it says nothing beside the file.
  const saysNo = atMessenger && when === "before" && !(leg.operation === "telegram:file" && status === "200");
  const odd = saysNo && (success || status.startsWith("3"));
  const mayEnd = agreed && !leg.anew && (odd || (atMessenger ? FINAL_AT_MESSENGER : FINAL).includes(status));
  const sure = (atMessenger ? SURE_AT_MESSENGER : SURE).includes(status);
  const doubtful = leg.keyless === true && !mayEnd;
  const mustEnd = mayEnd && sure && leg.ends === true && when === "before";
  return {
    mayEnd,
    mustEnd,
    mustTell: mustEnd && leg.tells === true,
    lie: leg.vague === true && success && (body === "json" || (agreed && when === "before")),
    doubtful,
    mayGiveUp: doubtful && span !== "one",
  };
}
