import type { Chance } from "./chance.ts";
import type { Network } from "./network.ts";
import type { Account } from "./people.ts";
import type { Time } from "./time.ts";

/** What happens to accounts while their people talk. */
export interface Merchants {
  /** From now on until `end`, ms of virtual time. */
  act(end: number): void;
  /** Undoes whatever still lasts. */
  settle(): Promise<void>;
}

interface Parts {
  time: Time;
  chance: Chance;
  network: Network;
  accounts: Account[];
  /** Of a person's messages, on average, ms. */
  intervalMs: number;
}

/** Something is done to an account once in so many of a person's messages, on average. */
const PER_ACT = 10;
/** How long it lasts, on average; when it is tried again, ms. */
const [LASTS_MS, AGAIN_MS] = [60_000, 5_000];

interface Act {
  begin(): Promise<void>;
  /** Undoes it; both fail while the server is down. */
  end?(): Promise<void>;
}

/** A merchant pauses the messenger, the CRM freezes the account, its gateway has a new token. */
export function createMerchants({ time, chance, network, accounts, intervalMs }: Parts): Merchants {
  const lasting = new Set<() => Promise<void>>();
  const control = async ({ origin }: Account, path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    await network.direct(`${origin}/sandbox${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const freeze = (account: Account, isFrozen: boolean) =>
    control(account, "/activity", { code: "gangway", active: true, freeze: isFrozen });
  const press = async ({ visit }: Account, button: string) => {
    const ids = await visit.channels();
    if (ids.length === 0) throw new Error("the page lists no messenger");
    for (const id of ids) await visit.press(`/channels/${id}/${button}`);
  };
  const acts: [kind: string, (account: Account) => Act][] = [
    ["pause", (account) => ({ begin: () => press(account, "pause"), end: () => press(account, "resume") })],
    ["freeze", (account) => ({ begin: () => freeze(account, true), end: () => freeze(account, false) })],
    ["rotate", (account) => ({ begin: () => control(account, "/token/rotate", {}) })],
  ];
  const undo = async (end: () => Promise<void>) => {
    if (!lasting.delete(end)) return;
    for (let ended = false; !ended; ) {
      ended = await end().then(
        () => true,
        () => false,
      );
      if (!ended) await time.pause(AGAIN_MS);
    }
  };
  const strike = async (account: Account, n: number) => {
    const [kind, actOn] = chance.pick(`merchant's act ${n}`, acts);
    const ms = chance.wait(`merchant's patience ${n}`, LASTS_MS);
    if (!chance.strikes(`merchant ${n}`, 1, `${kind} ${Math.round(ms)} ms`)) return;
    const { begin, end } = actOn(account);
    // Of what fails, nobody knows whether it was done.
    await begin().catch(() => undefined);
    if (!end) return;
    lasting.add(end);
    await time.pause(ms);
    await undo(end);
  };
  return {
    act(end) {
      for (const [n, account] of accounts.entries()) {
        const next = () => {
          const wait = chance.wait(`merchant's rest ${n}`, PER_ACT * intervalMs);
          if (time.now() + wait > end) return;
          time.after(wait, () => void strike(account, n).then(next));
        };
        next();
      }
    },
    async settle() {
      await Promise.all([...lasting].map(undo));
    },
  };
}
