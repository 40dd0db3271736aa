import type { Ack, Job, NextState, Verdict } from "../../domain/delivery.ts";
import type { Hindrance, OutboundAct } from "../../domain/message.ts";
import type { Notices, Overdue } from "../../store/outbox.ts";
import { unchangedNote } from "./unchanged.ts";

// What an agent is told of a message that was not delivered. They read it beside the message, in the CRM.

export const LATE = "The message could not be delivered in time";

/** Nobody can tell; `why` is what its last try met. */
export const unknownOutcome = (why: string | undefined): string =>
  `It is not known whether this message has reached the customer${why ? ` (${why})` : ""}. Ask before you send it again`;

/** What the gateway is told of an act; it asks for no word about anything but messages. */
export function ackOf(act: OutboundAct, result: Omit<Ack, "gatewayMessageId">): Ack | undefined {
  return act.type === "message" ? { gatewayMessageId: act.gatewayMessageId, ...result } : undefined;
}

interface Failure {
  verdict: Verdict;
  next: NextState;
  /** For the ack. */
  message: string;
  unsure: boolean;
  /** What the last try met. */
  error: string;
  hindrance?: Hindrance;
  /** Its channel is there no more: nobody is told anything in its chats. */
  removed: boolean;
  at: number;
}

/** Of work that is tried no more, unless a person says so. */
export function failureTold({ task, key, work }: Job, failure: Failure): Notices {
  const { next, message, unsure, error, removed, at } = failure;
  if (next.state === "ready" || task.direction !== "outbound") return {};
  const code = next.state === "dead" ? next.code : "general";
  const externalCode = next.state === "dead" ? next.externalCode : undefined;
  const ack = ackOf(task.act, { error: { code, message, externalCode } });
  const hindrance = failure.verdict.type === "retry" ? { code: "late" as const } : failure.hindrance;
  const why = { said: error === LATE ? undefined : error, hindrance };
  return { ack, note: removed ? undefined : unchangedNote(task.act, { key, work, unsure, at, ...why }) };
}

/** Of a message whose time was over before it was surely sent. */
export function overdueTold(act: OutboundAct, why: Overdue, at: number): Notices {
  const { unsure, error, stopped, work, key } = why;
  const hindrance = { code: "late" as const };
  const note = unchangedNote(act, { key, work, unsure, said: stopped ?? error, hindrance, at });
  return { ack: ackOf(act, { error: overdue(why) }), note };
}

function overdue({ unsure, error, stopped }: Overdue): NonNullable<Ack["error"]> {
  if (unsure) return { code: "general", message: unknownOutcome(error) };
  if (stopped !== undefined) return { code: "access_restricted", message: stopped };
  return { code: "general", message: error ? `${LATE} (${error})` : LATE };
}
