import type { Account } from "../../domain/account.ts";
import { type AuditRow, byUser } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";

/** Who changed what in an account, and its open visits. */
export interface History {
  view(account: Account, visit: string): Promise<HistoryView>;
  /** Ends one visit, or all but this one; false when there was none. */
  endVisits(account: Account, which: { id: string } | { allBut: string }, browser?: string): Promise<boolean>;
}

export interface HistoryView {
  /** Newest first; what one decision did to many messages is one entry. */
  acts: PastAct[];
  /** The last used one first. */
  visits: { id: string; startedAt: number; usedAt: number; browser?: string; isThis: boolean; endsAt?: number }[];
}
export interface PastAct {
  at: number;
  actor: AuditRow["actor"];
  action: string;
  /** Empty when it was about no channel. */
  channelName: string;
  /** Of its user, as far as it is known. */
  browser?: string;
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
      // A removed channel's name is in the entries about it.
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

/** Acts that the messenger refused: the entry of the refusal stands for both. */
const UNDONE: Record<string, string> = {
  "channel not added: it could not be opened": "channel added",
  "channel edit taken back: it was refused": "channel edited",
};

/** Newest first, like its input. */
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
