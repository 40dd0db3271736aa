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

/** What doors and ends have promised to send is under way: its account stays until the promise is kept. */
export interface Promised {
  hold: Hold;
  /** Of an account, or all: each resolves once its write has ended, and its jobs run. */
  ends(account?: AccountId): Promise<void>[];
  /** What is stored from now on under a lease of before is another process's to send. */
  abandon(): void;
}

export function createHold({ turns, slots, isDue, leaseOf, run }: Parts): Promised {
  const promises = new Set<{ account: AccountId; ended: Promise<void>; abandoned: boolean }>();
  return {
    hold(account, target, wanted) {
      const lease = leaseOf(account);
      if (!lease || turns.areWaited() || isDue(account)) return undefined;
      const { left, give, release } = slots.hold(account, target, wanted);
      const most = left();
      if (most === 0) return undefined;
      let kept = () => {};
      const ended = new Promise<void>((resolve) => {
        kept = resolve;
      });
      const promised = { account, ended, abandoned: false };
      promises.add(promised);
      let begun = 0;
      const begin = (jobs: Job[]) => {
        begun += jobs.length;
        if (promised.abandoned) return;
        for (const job of jobs) {
          give(job);
          run(job);
        }
      };
      const end = () => {
        release();
        promises.delete(promised);
        kept();
      };
      return { lease, most, begin, begun: () => begun, release: end };
    },
    ends: (of) => [...promises].flatMap(({ account, ended }) => (of && account !== of ? [] : [ended])),
    abandon() {
      for (const promised of promises) promised.abandoned = true;
    },
  };
}
