import type { CustomerId } from "gangway-messenger/ids";
import type { Log } from "../../log.ts";
import type { AskedErasure } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";

/** Erasure requests that people make at their messenger. */
export interface ErasureRequests {
  /** Stores the request and resolves with its status code; the erasure follows in the background or in housekeeping. */
  ask(kind: string, customer: CustomerId, proof?: string): Promise<string>;
  /** Undefined if there is no such code. */
  state(code: string): Promise<AskedErasure | undefined>;
}

export function createErasureRequests({ store, log }: { store: Pick<Store, "erasure">; log: Log }): ErasureRequests {
  const { erasure } = store;
  const fulfil = async () => {
    for (const erased of await erasure.fulfil()) log.info("erased", { ...erased });
  };
  return {
    async ask(kind, customer, proof) {
      const code = await erasure.ask(kind, customer, proof);
      log.info("erasure.asked", { kind });
      fulfil().catch((error) => log.warn("erasure.not-done", { error: String(error) }));
      return code;
    },
    state: erasure.asked,
  };
}
