import type { Lease } from "../../domain/account.ts";
import type { Job } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Held, Target } from "../../store/outbox.ts";
import type { Slots } from "./slots.ts";
import type { Turns } from "./turns.ts";

/** Holds slots for up to `most` jobs that are about to be stored; undefined when other jobs wait, or no slot is free. */
export type Hold = (account: AccountId, target: Target, most: number) => HeldSlots | undefined;

interface HeldSlots extends Held {
  /** How many jobs have begun. */
  begun(): number;
  /** Frees the slots that no job has: call it once the write has ended. */
  release(): void;
}

interface Parts {
  turns: Turns;
  slots: Slots;
  /** Whether the account has due jobs. */
  isDue(account: AccountId): boolean;
  /** Undefined until the account's lease is taken, and while the worker claims nothing. */
  leaseOf(account: AccountId): Lease | undefined;
  run(job: Job): void;
}

export function createHold({ turns, slots, isDue, leaseOf, run }: Parts): Hold {
  return (account, target, wanted) => {
    const lease = leaseOf(account);
    if (!lease || turns.areWaited() || isDue(account)) return undefined;
    const { left, give, release } = slots.hold(account, target, wanted);
    const most = left();
    if (most === 0) return undefined;
    let begun = 0;
    const begin = (jobs: Job[]) => {
      begun += jobs.length;
      for (const job of jobs) {
        give(job);
        run(job);
      }
    };
    return { lease, most, begin, begun: () => begun, release };
  };
}
