import { works } from "../../domain/account/account.ts";
import { DeliveryError, REST_MS } from "../../domain/delivery/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { type Clock, deadline, pause } from "../../domain/time/clock.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

/** Rests work that needs an account's gateway token while it is refused; resumes once a harmless call passes. */
export interface Resting {
  /** The gateway refuses the token, for this reason. */
  rest(accountId: AccountId, why: string): Promise<void>;
  /** The account may have been resting before a restart, or before it was switched off or frozen. */
  resume(accountId: AccountId): void;
  stop(): void;
}

interface Parts {
  store: Pick<Store, "accounts">;
  gatewayOf(account: NonNullable<Awaited<ReturnType<Store["accounts"]["byId"]>>>): Pick<Gateway, "check">;
  clock: Clock;
  log: Log;
  wake(accountId: AccountId): void;
}

/** First and longest gap between probes, which doubles each time, and the deadline of one probe; ms. */
const FIRST_GAP_MS = 1_000;
const MAX_GAP_MS = 60_000;
const PROBE_MS = 30_000;
/** A rest outlasts the next probe, ms; without probes, as after a crash, it ends on its own. */
const MARGIN_MS = MAX_GAP_MS + PROBE_MS;

export function createResting({ store, gatewayOf, clock, log, wake }: Parts): Resting {
  const abort = new AbortController();
  const probed = new Set<AccountId>();
  const trouble = (text: string) => ({ text, restUntil: clock.now() + REST_MS + MARGIN_MS });

  /** `refused` includes unknown; `idle`: the account does nothing that needs a token. */
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
      // A success or a reconnect during the probe may have ended the trouble.
      if (why !== undefined) await store.accounts.prolongTrouble(id, trouble(why));
      return "refused";
    } finally {
      end();
    }
  };
  /** True once a probe passes; false if the server stops or the account is switched off first. */
  const untilGood = async (id: AccountId): Promise<boolean> => {
    for (let gap = FIRST_GAP_MS; ; gap = Math.min(MAX_GAP_MS, gap * 2)) {
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
    // Before the write: a rest that begins during it needs its own probes.
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
