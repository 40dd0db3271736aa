import type { Clock } from "../../../domain/clock.ts";
import type { Sealer } from "../../secrets.ts";
import type { Sessions } from "../sessions.ts";
import type { Telling } from "../telling.ts";
import type { LockedRows } from "./locked.ts";
import type { Memory } from "./memory.ts";

/** What the outbox is made of. */
export interface Parts {
  sessions: Sessions;
  memory: Memory;
  locked: LockedRows;
  sealer: Sealer;
  clock: Clock;
  /** Aborted once the store is closed. */
  closing: AbortSignal;
  telling: Pick<Telling, "statements" | "changed" | "appended">;
}
