import type { Clock } from "../../../domain/clock.ts";
import type { Sealer } from "../../secrets.ts";
import type { Sessions } from "../sessions.ts";
import type { Memory } from "./memory.ts";

/** What the outbox is made of. */
export interface Parts {
  sessions: Sessions;
  memory: Memory;
  sealer: Sealer;
  clock: Clock;
  /** The statements by which the holders of these accounts learn that there is work. */
  telling(accountIds: Iterable<string>): [string, Record<string, unknown>][];
}
