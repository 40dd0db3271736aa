import type { Clock } from "../../domain/clock.ts";
import type { AccountId } from "../../domain/ids.ts";
import { countBefore } from "../../domain/sorted.ts";

/** Round robin over accounts with due work. */
export interface Turns {
  /** The account has work at this time (ms), or at an earlier time already set. `calls`: how many it may have by then. */
  due(account: AccountId, at: number, calls?: number): void;
  /** Deals slots to due accounts, one per turn, until all have what they may need or `keep` refuses. Returns those served. */
  deal(keep: (account: AccountId) => boolean): AccountId[];
  /** Earliest due time in the future. */
  earliest(): number | undefined;
  accounts(): AccountId[];
}

interface Time {
  account: AccountId;
  at: number;
}

/** Keeps the order by time. A time is there once: an account may be due at it again and again. */
function insert(times: Time[], time: Time): void {
  const next = countBefore(times, ({ at }) => at <= time.at);
  for (let n = next - 1; times[n]?.at === time.at; n--) if (times[n]?.account === time.account) return;
  times.splice(next, 0, time);
}

export function createTurns(clock: Pick<Clock, "now">): Turns {
  // A Map keeps insertion order: an account that had its turn goes to the end.
  const now = new Map<AccountId, number>();
  const later = new Map<AccountId, number>();
  /** `later` by time; also holds times that were replaced by an earlier one. */
  const times: Time[] = [];
  const known = new Set<AccountId>();
  const isOld = ({ account, at }: Time) => later.get(account) !== at;
  const add = (account: AccountId, calls: number) => now.set(account, (now.get(account) ?? 0) + calls);
  const arrive = () => {
    for (let [first] = times; first && (isOld(first) || first.at <= clock.now()); [first] = times) {
      times.shift();
      if (isOld(first)) continue;
      later.delete(first.account);
      add(first.account, 1);
    }
  };
  return {
    due(account, at, calls = 1) {
      known.add(account);
      if (at <= clock.now()) return void add(account, calls);
      if (at >= (later.get(account) ?? Number.POSITIVE_INFINITY)) return;
      later.set(account, at);
      insert(times, { account, at });
    },
    deal(keep) {
      arrive();
      const dealt = new Set<AccountId>();
      let round = [...now.keys()];
      for (let turn = 1; round.length > 0; turn++) {
        round = round.filter((account) => (now.get(account) ?? 0) >= turn && keep(account));
        for (const account of round) dealt.add(account);
      }
      for (const account of dealt) now.delete(account);
      return [...dealt];
    },
    earliest() {
      while (times[0] && isOld(times[0])) times.shift();
      return times[0]?.at;
    },
    accounts: () => [...known],
  };
}
