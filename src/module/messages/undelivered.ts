import type { Clock } from "gangway-messenger/clock";
import type { Explain } from "gangway-messenger/explanations";
import type { ChannelId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import { arrivedText } from "gangway-messenger/loss";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Config } from "../../config.ts";
import { type Account, agentsLanguage } from "../../domain/account.ts";
import { WAS_STOPPED } from "../../domain/delivery.ts";
import { isExplained } from "../../domain/explanations.ts";
import type { JobId } from "../../domain/ids.ts";
import type { OutboundMessage } from "../../domain/message.ts";
import { byUser } from "../../store/care.ts";
import type { EndedCount, EndedFilter, EndedJob } from "../../store/messages.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";

/** An account's undelivered messages, and its users' decisions on them. */
export interface Undelivered {
  counts(account: Account): Promise<EndedCount[]>;
  /** Errors are explained in this language. */
  list(account: Account, filter: Filter, language: Language, counts: EndedCount[]): Promise<UndeliveredView>;
  /** The count is 0 if the account has no such message or its state does not allow the decision. */
  decide(account: Account, job: JobId, what: Decision, browser?: string): Promise<Decided>;
  /** Decides on many messages, oldest first. */
  decideAll(account: Account, which: JobId[] | Filter, what: Decision, browser?: string): Promise<Decided>;
  /** Restores the messages discarded at that time. Resolves with their number. */
  undo(account: Account, discardedAt: number, browser?: string): Promise<number>;
}
/** `arrived` and `drop` apply to held messages, `restore` to discarded ones, `discard` to the others. */
export type Decision = "again" | "arrived" | "drop" | "discard" | "restore";

export interface Decided {
  count: number;
  /** Key for undoing a discard, ms. */
  discardedAt?: number;
}

export type { EndedCount };

/** Selects messages; without a state, the held ones if there are any, else the dead ones. */
export type Filter = EndedFilter;

export interface UndeliveredView {
  filter: Filter & { state: EndedJob["state"] };
  /** Newest first; `channelName` is empty if the channel was removed. `isPlain`: the error has an explanation. */
  rows: (EndedJob & { channelName: string; isPlain: boolean })[];
  /** Where the next page starts; absent on the last one. */
  next?: JobId;
  /** How many messages match the filter, and when they were counted, ms. */
  fitting: number;
  readAt: number;
  /** The state's messages by reason and channel, most frequent first; offered as filters. */
  groups: { code: string; channelId: ChannelId; channelName: string; count: number }[];
}

export interface UndeliveredParts {
  store: Pick<Store, "channels" | "outbox">;
  adapters: ChannelAdapter[];
  config: Pick<Config, "limits">;
  clock: Pick<Clock, "now">;
  wake(account: Account): void;
  explain: Explain;
}

/** Messages per page. */
const PAGE_ROWS = 25;
/** Messages decided on before yielding to other work; a batch takes a few milliseconds. */
const AT_ONCE = 25;

interface How {
  what: Decision;
  now: number;
  browser?: string;
}

export function createUndelivered(parts: UndeliveredParts): Undelivered {
  const { store, wake, explain } = parts;
  const { outbox } = store;
  const apply = async (account: Account, job: JobId, { what, now, browser }: How): Promise<boolean> => {
    const { id } = account;
    const { outboundPatienceMs } = parts.config.limits;
    switch (what) {
      case "again":
        return outbox.sendAgain(id, job, outboundPatienceMs, byUser("message sent again", browser));
      case "drop":
        return outbox.givenUp(id, job, byUser("message given up", browser));
      case "discard":
        return outbox.discarded(id, job, now, byUser("message discarded", browser));
      case "restore":
        return outbox.restored(id, job, byUser("message restored", browser));
      case "arrived": {
        const how = { patienceMs: outboundPatienceMs, text: await arrivalNotes(parts, account) };
        return outbox.arrived(id, job, how, byUser("message arrived", browser));
      }
    }
  };
  const decideSome = async (account: Account, ids: JobId[], how: How): Promise<number> =>
    (await Promise.all(ids.map((job) => apply(account, job, how)))).filter(Boolean).length;
  const decideIds = async (account: Account, ids: JobId[], how: How): Promise<number> => {
    let done = 0;
    for (let n = 0; n < ids.length; n += AT_ONCE) done += await decideSome(account, ids.slice(n, n + AT_ONCE), how);
    return done;
  };
  const decideFitting = async (account: Account, filter: Filter, how: How): Promise<number> => {
    let done = 0;
    for (let after = 0 as JobId; ; ) {
      const jobs = await outbox.ended(account.id, AT_ONCE, { ...filter, before: undefined, after });
      const ids = jobs.map(({ id }) => id);
      done += await decideSome(account, ids, how);
      if (ids.length < AT_ONCE) return done;
      after = ids.at(-1) ?? after;
    }
  };
  const decideAll: Undelivered["decideAll"] = async (account, which, what, browser) => {
    const now = parts.clock.now();
    const how = { what, now, browser };
    const count = Array.isArray(which)
      ? await decideIds(account, which.toSorted(byAge), how)
      : await decideFitting(account, which, how);
    if (count > 0) wake(account);
    return { count, ...(what === "discard" && { discardedAt: now }) };
  };
  return {
    counts: ({ id }) => outbox.countEnded(id),
    decide: (account, job, what, browser) => decideAll(account, [job], what, browser),
    decideAll,
    async undo(account, discardedAt, browser) {
      const ids = await outbox.discardedAt(account.id, discardedAt);
      return (await decideAll(account, ids, "restore", browser)).count;
    },
    async list(account, given, language, counts) {
      const readAt = parts.clock.now();
      const channels = await store.channels.list(account.id);
      const filter = existing(given, counts);
      const state = filter.state ?? (totalsOf(counts).held > 0 ? "held" : "dead");
      const rows = await outbox.ended(account.id, PAGE_ROWS + 1, { ...filter, state });
      const names = new Map<string, string>(channels.map(({ id, name }) => [id, name]));
      const here = counts.filter((each) => each.state === state);
      const fits = ({ channelId, code }: (typeof counts)[number]) =>
        (filter.channelId === undefined || filter.channelId === channelId) &&
        (filter.code === undefined || filter.code === code);
      const shown = rows.slice(0, PAGE_ROWS);
      return {
        filter: { ...filter, state },
        rows: shown.map((job) => ({
          ...job,
          error: explain(job.error, language),
          isPlain: isExplained(job.error, explain),
          channelName: names.get(job.channelId) ?? "",
        })),
        next: rows.length > PAGE_ROWS ? shown.at(-1)?.id : undefined,
        fitting: sum(here.filter(fits)),
        readAt,
        groups: here
          .map(({ code, channelId, count }) => ({ code, channelId, channelName: names.get(channelId) ?? "", count }))
          .sort((a, b) => b.count - a.count),
      };
    },
  };
}

const byAge = (a: JobId, b: JobId): number => a - b;
const sum = (counts: { count: number }[]): number => counts.reduce((all, { count }) => all + count, 0);
export const totalsOf = (counts: EndedCount[]) => ({
  held: sum(counts.filter(({ state }) => state === "held")),
  dead: sum(counts.filter(({ state }) => state === "dead")),
});

/** How many of a channel's messages were not sent because it was stopped too long. */
export const failedWhileStopped = (counts: EndedCount[], id: ChannelId): number =>
  sum(counts.filter(({ state, channelId, code }) => state === "dead" && channelId === id && code === WAS_STOPPED));

/** Drops filter values that match nothing, for example a reason from another version. */
const existing = ({ channelId, code, ...filter }: Filter, counts: EndedCount[]): Filter => ({
  ...filter,
  channelId: counts.find((each) => each.channelId === channelId)?.channelId,
  code: counts.find((each) => each.code === code)?.code,
});

/** Texts of the notes that tell agents a message has arrived, in the account's language, else the channel's. */
async function arrivalNotes({ store, adapters }: UndeliveredParts, account: Account) {
  const channels = await store.channels.list(account.id);
  const languageFor = (id: ChannelId) => {
    const channel = channels.find((each) => each.id === id);
    const adapter = adapters.find(({ kind }) => kind === channel?.kind);
    const settings = channel && ifOpens(() => ({ value: channel.settings }));
    const ofChannel = settings && adapter?.capabilities(adapter.settings.parse(settings.value)).language;
    return agentsLanguage(account, ofChannel ?? "en");
  };
  return (id: ChannelId, { content }: OutboundMessage) => arrivedText(content, languageFor(id));
}
