import { type Clock, deadline, pause } from "../domain/clock.ts";
import { DeliveryError, REST_MS } from "../domain/delivery.ts";
import type { AccountId } from "../domain/ids.ts";
import type { Gateway } from "../gateway/client.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

/** Rests what needs an account's gateway token while the gateway refuses it, and resumes it as soon as one harmless call passes. */
export interface Resting {
  /** The token is dead, for this reason. */
  rest(accountId: AccountId, why: string): Promise<void>;
  /** The account may be resting since before the process began. */
  resume(accountId: AccountId): void;
  stop(): void;
}

interface Parts {
  store: Pick<Store, "accounts">;
  gatewayOf(account: NonNullable<Awaited<ReturnType<Store["accounts"]["byId"]>>>): Pick<Gateway, "check">;
  clock: Clock;
  log: Log;
  /** The account may go on. */
  wake(accountId: AccountId): void;
}

/** The first probe, the longest gap between two, and how long one may take, ms. Each gap is twice the one before. */
const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 60_000;
const PROBE_MS = 30_000;
/** A rest outlasts the next probe, ms; without a probe, as after a crash, it ends by itself. */
const MARGIN_MS = LONGEST_GAP_MS + PROBE_MS;

export function createResting({ store, gatewayOf, clock, log, wake }: Parts): Resting {
  const abort = new AbortController();
  const probed = new Set<AccountId>();
  const setTrouble = (id: AccountId, text: string) =>
    store.accounts.setTrouble(id, { text, restUntil: clock.now() + REST_MS + MARGIN_MS });

  /** False while the token is still refused, or nobody can tell. */
  const passes = async (id: AccountId): Promise<boolean> => {
    const account = await store.accounts.byId(id);
    if (!account) return true;
    const { signal, end } = deadline(clock, PROBE_MS, abort.signal);
    try {
      await gatewayOf(account).check(signal);
      return true;
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      if (error.verdict.type === "reconnect") await setTrouble(id, error.message);
      else if (account.trouble !== undefined) await setTrouble(id, account.trouble);
      return false;
    } finally {
      end();
    }
  };
  const probe = async (id: AccountId) => {
    for (let gap = FIRST_GAP_MS; !abort.signal.aborted; gap = Math.min(LONGEST_GAP_MS, gap * 2)) {
      await pause(clock, gap, abort.signal);
      if (abort.signal.aborted) return;
      const good = await passes(id).catch((error) => {
        log.warn("gateway.not-probed", { account: id, error: String(error) });
        return false;
      });
      if (!good) continue;
      await store.accounts.setTrouble(id);
      log.info("gateway.token-good", { account: id });
      return wake(id);
    }
  };
  const begin = (id: AccountId) => {
    if (probed.has(id)) return;
    probed.add(id);
    void probe(id)
      .catch((error) => log.warn("gateway.not-probed", { account: id, error: String(error) }))
      .finally(() => probed.delete(id));
  };
  return {
    async rest(id, why) {
      if (!probed.has(id)) log.warn("gateway.token-refused", { account: id, why });
      await setTrouble(id, why);
      begin(id);
    },
    resume: begin,
    stop: () => abort.abort(),
  };
}
