import type { Account } from "../../domain/account.ts";
import { type AuditRow, byUser } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";

/** Who changed what in an account, and who has its page open. */
export interface History {
  view(account: Account, visit: string): Promise<HistoryView>;
  /** Ends one visit, or all but this one; false when there was none. */
  endVisits(account: Account, which: { id: string } | { allBut: string }, browser?: string): Promise<boolean>;
}

export interface HistoryView {
  /** Newest first; one decision on many messages is one entry. */
  acts: PastAct[];
  /** Most recently used first. */
  visits: { id: string; startedAt: number; usedAt: number; browser?: string; isThis: boolean; endsAt?: number }[];
}
export interface PastAct {
  at: number;
  actor: AuditRow["actor"];
  action: string;
  /** Empty if the act concerns no channel. */
  channelName: string;
  /** The user's browser, if known. */
  browser?: string;
  count: number;
}

/** Audit entries read, and entries shown. */
const MAX_READ = 2_000;
const MAX_SHOWN = 100;
/** Equal consecutive acts within this time are merged into one entry, ms. */
const TOGETHER_MS = 60_000;

export function createHistory({ store }: { store: Pick<Store, "audit" | "channels" | "webSessions"> }): History {
  return {
    async view({ id: accountId }, visit) {
      const [rows, channels, sessions] = await Promise.all([
        store.audit.list({ accountId, limit: MAX_READ }),
        store.channels.list(accountId),
        store.webSessions.list(accountId),
      ]);
      // A removed channel's name is found in its audit entries.
      const named = rows.filter(({ detail }) => detail.name !== undefined).reverse();
      const names = new Map<unknown, unknown>(named.map(({ detail }) => [detail.channel, detail.name]));
      for (const { id, name } of channels) names.set(id, name);
      const acts: PastAct[] = [];
      for (const { at, actor, action, detail } of withoutUndone(rows)) {
        const [channelName, browser] = [names.get(detail.channel), detail.browser].map(textIn);
        const act = { at, actor, action, channelName: channelName ?? "", browser, count: 1 };
        const before = acts.at(-1);
        if (before && isSame(before, act)) before.count += 1;
        else acts.push(act);
      }
      return {
        acts: acts.slice(0, MAX_SHOWN),
        visits: sessions.map((session) => ({ ...session, isThis: session.id === visit })),
      };
    },
    async endVisits({ id }, which, browser) {
      const ended = await store.webSessions.endOf(id, which);
      if (ended > 0) await store.audit.record(id, byUser("visits ended", browser));
      return ended > 0;
    },
  };
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** An entry about a refusal replaces the entry of the refused act. */
const UNDONE: Record<string, string> = {
  "channel not added: it could not be opened": "channel added",
  "channel edit taken back: it was refused": "channel edited",
};

/** Drops the acts that a later refusal undid. Input and output are newest first. */
function withoutUndone(rows: AuditRow[]): AuditRow[] {
  const undone = new Map<string, number>();
  return rows.filter(({ action, detail }) => {
    const [own, taken] = [action, UNDONE[action]].map((name) => `${name} ${detail.channel}`) as [string, string];
    if (UNDONE[action]) undone.set(taken, (undone.get(taken) ?? 0) + 1);
    const left = undone.get(own) ?? 0;
    if (left > 0) undone.set(own, left - 1);
    return left === 0;
  });
}

const isSame = (a: PastAct, b: PastAct): boolean =>
  a.actor === b.actor &&
  a.action === b.action &&
  a.channelName === b.channelName &&
  a.browser === b.browser &&
  a.at - b.at < TOGETHER_MS;
