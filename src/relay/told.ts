import type { Ack } from "../domain/delivery.ts";
import type { Overdue } from "../store/outbox.ts";

// What an agent is told of a message that was not delivered. They read it beside the message, in the CRM.

export const LATE = "The message could not be delivered in time";

/** Nobody can tell; `why` is what its last try met. */
export const unknownOutcome = (why: string | undefined): string =>
  `It is not known whether this message has reached the customer${why ? ` (${why})` : ""}. Ask before you send it again`;

/** Of a message whose time was over before it was surely sent. */
export function overdue({ unsure, error, stopped }: Overdue): NonNullable<Ack["error"]> {
  if (unsure) return { code: "general", message: unknownOutcome(error) };
  if (stopped !== undefined) return { code: "access_restricted", message: stopped };
  return { code: "general", message: error ? `${LATE} (${error})` : LATE };
}
