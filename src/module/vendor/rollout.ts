import { setImmediate } from "node:timers/promises";
import { errorText } from "gangway-messenger/errors";
import { type Account, works } from "../../domain/account.ts";
import { type Channel, shownState } from "../../domain/channel.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

/**
 * Tracks which gateways know this version's messenger features. Each process announces them at its start, account by
 * account; what a gateway refuses waits for the next start, or for `run`.
 */
export interface RollOut {
  look(): Promise<{ kinds: KindRollOut[]; running?: { done: number; all: number } }>;
  /** Announces what waits, account by account, in the background. False if a run is active or nothing waits. */
  run(): Promise<boolean>;
}

export interface KindRollOut {
  kind: string;
  /** Working channels, and those whose gateway is up to date. */
  channels: number;
  announced: number;
  /** The first channels whose gateway is not up to date. */
  waiting: { accountId: string; crmUrl: string; name: string }[];
}

interface Parts {
  store: Pick<Store, "accounts" | "audit" | "channels">;
  /** Throws for a channel whose settings cannot be read. */
  isAnnounced(channel: Channel): Promise<boolean>;
  /** Logs what fails. */
  announceAll(account: Account): Promise<void>;
  log: Log;
}

const SHOWN = 20;

export function createRollOut({ store, isAnnounced, announceAll, log }: Parts): RollOut {
  let running: { done: number; all: number } | undefined;
  const eachChannel = async (see: (account: Account, channel: Channel, isKnown: boolean) => void) => {
    for (const account of (await store.accounts.list()).filter(works)) {
      const channels = (await store.channels.list(account.id)).filter((each) => shownState(each) === "active");
      for (const channel of channels) see(account, channel, await isAnnounced(channel).catch(() => false));
      await setImmediate();
    }
  };
  const announce = async (accounts: Account[], progress: { done: number }) => {
    for (const account of accounts) {
      await announceAll(account).catch((error) =>
        log.warn("channels.not-announced", { account: account.id, error: errorText(error) }),
      );
      progress.done += 1;
    }
  };
  return {
    async look() {
      const kinds = new Map<string, KindRollOut>();
      await eachChannel(({ id, crmUrl }, { kind, name }, isKnown) => {
        const row = kinds.get(kind) ?? { kind, channels: 0, announced: 0, waiting: [] };
        kinds.set(kind, row);
        row.channels += 1;
        if (isKnown) row.announced += 1;
        else if (row.waiting.length < SHOWN) row.waiting.push({ accountId: id, crmUrl, name });
      });
      return { kinds: [...kinds.values()].sort((one, other) => other.channels - one.channels), running };
    },
    async run() {
      if (running) return false;
      const waiting = new Map<string, Account>();
      await eachChannel((account, _, isKnown) => {
        if (!isKnown) waiting.set(account.id, account);
      });
      if (waiting.size === 0 || running) return false;
      const progress = { done: 0, all: waiting.size };
      running = progress;
      await store.audit.record(undefined, {
        ...{ actor: "operator", action: "features announced" },
        detail: { accounts: waiting.size },
      });
      void announce([...waiting.values()], progress).finally(() => {
        running = undefined;
      });
      return true;
    },
  };
}
