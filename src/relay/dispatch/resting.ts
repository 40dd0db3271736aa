import { works } from "../../domain/account.ts";
import { type Clock, deadline, pause } from "../../domain/clock.ts";
import { DeliveryError, REST_MS } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

/** Rests what needs an account's gateway token while the gateway refuses it, and resumes it as soon as one harmless call passes. */
export interface Resting {
  /** The token is dead, for this reason. */
  rest(accountId: AccountId, why: string): Promise<void>;
  /** The account may be resting since before the process began, or since before it was switched off or frozen. */
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
  const trouble = (text: string) => ({ text, restUntil: clock.now() + REST_MS + MARGIN_MS });

  /** "refused" while nobody can tell, too; "idle": the account does nothing that needs a token. */
  const probeOnce = async (id: AccountId): Promise<"good" | "refused" | "idle"> => {
    const account = await store.accounts.byId(id);
    if (!account || !works(account)) return "idle";
    const { signal, end } = deadline(clock, PROBE_MS, abort.signal);
    try {
      await gatewayOf(account).check(signal);
      return "good";
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const why = error.verdict.type === "reconnect" ? error.message : account.trouble;
      // While the probe waited, a success or a reconnect may have ended the trouble.
      if (why !== undefined) await store.accounts.prolongTrouble(id, trouble(why));
      return "refused";
    } finally {
      end();
    }
  };
  /** True once a probe passes, false when the server stops or the account ceases to work before. */
  const untilGood = async (id: AccountId): Promise<boolean> => {
    for (let gap = FIRST_GAP_MS; ; gap = Math.min(LONGEST_GAP_MS, gap * 2)) {
      await pause(clock, gap, abort.signal);
      if (abort.signal.aborted) return false;
      const found = await probeOnce(id).catch((error) => {
        log.warn("gateway.not-probed", { account: id, error: String(error) });
        return "refused" as const;
      });
      if (found !== "refused") return found === "good";
    }
  };
  const probe = async (id: AccountId) => {
    const good = await untilGood(id);
    // Before the trouble is cleared: a rest that begins during that write needs probes of its own.
    probed.delete(id);
    if (!good) return;
    await store.accounts.setTrouble(id);
    log.info("gateway.token-good", { account: id });
    wake(id);
  };
  const begin = (id: AccountId) => {
    if (probed.has(id)) return;
    probed.add(id);
    void probe(id).catch((error) => log.warn("gateway.not-probed", { account: id, error: String(error) }));
  };
  return {
    async rest(id, why) {
      if (!probed.has(id)) log.warn("gateway.token-refused", { account: id, why });
      await store.accounts.setTrouble(id, trouble(why));
      begin(id);
    },
    resume: begin,
    stop: () => abort.abort(),
  };
}
