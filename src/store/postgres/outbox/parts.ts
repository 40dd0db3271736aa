import type { Clock } from "../../../domain/time/clock.ts";
import type { Sealer } from "../../secrets.ts";
import type { Notifier } from "../database/notifier.ts";
import type { Sessions } from "../database/sessions.ts";
import type { KnownAccounts } from "./known-accounts.ts";
import type { LockedRows } from "./locked.ts";

/** What the outbox is made of. */
export interface Parts {
  sessions: Sessions;
  known: KnownAccounts;
  /** Messages whose results are being recorded: they are not claimed meanwhile. */
  recording: Set<number>;
  /** These, and those whose rows another program holds. */
  unclaimable(): number[];
  locked: LockedRows;
  sealer: Sealer;
  clock: Clock;
  /** Aborted once the store is closed. */
  closing: AbortSignal;
  notifier: Pick<Notifier, "statements" | "changed" | "appended">;
}
