import type { Store } from "../../store/store.ts";
import type { Feeds } from "./feeds.ts";
import type { Sessions } from "./sessions.ts";

interface Parts {
  store: Pick<Store, "erasure">;
  worker: { revoke(): Promise<void> };
  sessions: Pick<Sessions, "evict">;
  feeds: Pick<Feeds, "running" | "changed">;
}

/** Aborts calls for erased customers, whichever process erased them. The store would record no result of them. */
export function followErasures({ store, worker, sessions, feeds }: Parts): void {
  const endGone = async () => {
    const gone = await store.erasure.goneChannels();
    const fed = new Set(feeds.running());
    for (const id of gone) {
      sessions.evict(id);
      if (fed.has(id)) feeds.changed(id);
    }
  };
  store.erasure.onErased(() => {
    // What goes on is not recorded.
    void worker.revoke().catch(() => undefined);
    void endGone().catch(() => undefined);
  });
}
