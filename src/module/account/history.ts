import type { Account } from "../../domain/account.ts";
import { type AuditRow, byUser } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";

/** Who changed what in an account, and who has its page open. */
export interface History {
  view(account: Account, visit: string): Promise<HistoryView>;
  /** Ends one visit, or all but this one; false when there was none. */
  endVisits(account: Account, which: { id: string } | { allBut: string }): Promise<boolean>;
}

export interface HistoryView {
  /** Newest first; what one decision did to many messages is one entry. */
  acts: PastAct[];
  /** The last used one first. */
  visits: { id: string; startedAt: number; usedAt: number; browser?: string; isThis: boolean }[];
}
export interface PastAct {
  at: number;
  actor: AuditRow["actor"];
  action: string;
  /** Empty when it was about no channel, or about one that was removed. */
  channelName: string;
  count: number;
}

/** Entries read, and shown. */
const MAX_READ = 2_000;
const MAX_SHOWN = 100;
/** Equal acts that follow each other within this time are one entry, ms. */
const TOGETHER_MS = 60_000;

export function createHistory({ store }: { store: Pick<Store, "audit" | "channels" | "webSessions"> }): History {
  return {
    async view({ id: accountId }, visit) {
      const [rows, channels, sessions] = await Promise.all([
        store.audit.list({ accountId, limit: MAX_READ }),
        store.channels.list(accountId),
        store.webSessions.list(accountId),
      ]);
      const names = new Map<unknown, string>(channels.map(({ id, name }) => [id, name]));
      const acts: PastAct[] = [];
      for (const { at, actor, action, detail } of rows) {
        const act = { at, actor, action, channelName: names.get(detail.channel) ?? "", count: 1 };
        const before = acts.at(-1);
        if (before && isSame(before, act)) before.count += 1;
        else acts.push(act);
      }
      return {
        acts: acts.slice(0, MAX_SHOWN),
        visits: sessions.map((session) => ({ ...session, isThis: session.id === visit })),
      };
    },
    async endVisits({ id }, which) {
      const ended = await store.webSessions.endOf(id, which);
      if (ended > 0) await store.audit.record(id, byUser("visits ended"));
      return ended > 0;
    },
  };
}

const isSame = (a: PastAct, b: PastAct): boolean =>
  a.actor === b.actor && a.action === b.action && a.channelName === b.channelName && a.at - b.at < TOGETHER_MS;
