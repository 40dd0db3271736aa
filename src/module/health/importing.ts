import type { Clock } from "gangway-messenger/clock";
import type { Listed } from "gangway-messenger/port";
import type { Channel } from "../../domain/channel.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import { missingOf } from "./missing.ts";
import { type Past, pastNote, readPast } from "./past-note.ts";

export interface ImportingParts {
  store: Pick<Store, "erasure" | "ledger" | "notes" | "outbox">;
  wake(accountId: AccountId): void;
  clock: Clock;
  log: Log;
}

/** Imported messages of a channel that may wait: new ones find room, and soon leave. */
const MAX_WAITING = 2_000;
/** What is written while a channel is connected may come by webhook first, ms. */
const SETTLE_MS = 60_000;

/**
 * Goes on with a channel's import until it ends, or enough of it waits. `pages` asks for the pages of its list from that time on.
 * A page and where the next begins are stored in one transaction: after a crash the import goes on from there. Throws
 * Overload, and what `pages` throws.
 */
export async function importPast(
  parts: ImportingParts,
  channel: Channel,
  pages: (since: number, after: string | undefined) => AsyncIterable<Listed>,
): Promise<void> {
  const { store, clock, log } = parts;
  const known = await readPast(store.notes, channel.id);
  if (!known || known.ended !== undefined || clock.now() < known.to + SETTLE_MS) return;
  let past: Past = { login: channel.identity, ...known };
  if (past.login !== channel.identity) return store.notes.set(channel.id, [pastNote({ ...past, ended: clock.now() })]);
  let room = MAX_WAITING - (await waitingIn(store, channel));
  if (room <= 0) return;
  for await (const listed of pages(past.from, past.next)) {
    const before = past.count;
    past = await keepPage(parts, channel, past, listed);
    room -= past.count - before;
    if (past.ended !== undefined)
      log.info("past.imported", { account: channel.accountId, channel: channel.id, count: past.count });
    if (past.ended !== undefined || room <= 0) return;
  }
}

async function waitingIn({ ledger }: Pick<Store, "ledger">, { id, accountId }: Channel): Promise<number> {
  const row = (await ledger(accountId)).find(({ channelId }) => channelId === id);
  return (row?.waiting ?? 0) - (row?.held ?? 0);
}

async function keepPage(
  { store, wake, clock }: ImportingParts,
  channel: Channel,
  past: Past,
  { events, notes = [], next, completeFrom = 0 }: Listed,
): Promise<Past> {
  const ofThen = events.filter(({ type, at }) => type === "message" && at >= past.from && at < past.to);
  const missing = await missingOf(store, channel, ofThen);
  const after: Past = {
    ...{ ...past, next, count: past.count + missing.length },
    completeFrom: Math.max(past.completeFrom ?? past.from, completeFrom),
    ...(next === undefined && { ended: clock.now() }),
  };
  const imported = missing.map((event) => (event.type === "message" ? { ...event, past: true as const } : event));
  await store.outbox.acceptInbound(channel, { events: imported, notes: [...notes, pastNote(after)] });
  if (imported.length > 0) wake(channel.accountId);
  return after;
}
