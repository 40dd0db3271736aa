import { serialByKey } from "gangway-messenger/concurrency";
import type { Channel } from "../../../domain/channel.ts";
import type { Job, MessageDirection } from "../../../domain/delivery.ts";
import type { LateFailure } from "../../../domain/message.ts";
import type { Note } from "../../channels.ts";
import { type Candidate, hintsOf, immediateJobsOf, journalAndNotes } from "../../outbox/accepting.ts";
import type { Decide } from "../../outbox/effects.ts";
import { acceptFailure } from "../../outbox/results.ts";
import type { Arrival, ReadySlots } from "../../outbox.ts";
import { writeAudit } from "../../tables/accounts/audit.ts";
import { holeOf } from "../../tables/accounts/ledger.ts";
import { writeNotes } from "../../tables/channels/channels.ts";
import { chatsOf, keptRaw, rowsOfRaw, type SealedWebhook, writeJournal } from "../../tables/channels/raw-webhooks.ts";
import { type Booking, first, run, type Verb } from "../../tables/engine.ts";
import { BOOK, type PostgresEngine, sumsOf } from "../database/engine.ts";
import { isUnknown } from "../database/faults.ts";
import type { LaneTransaction } from "../database/lane-transactions.ts";
import { undoImmediateSends } from "./doubts.ts";
import { batches } from "./known-accounts.ts";
import { LOCK_TIMEOUT, type Parts, type ReadPlan, readNew, records, storeOf } from "./storing.ts";

const FIND = `SELECT channel_id AS "channelId", chat FROM message WHERE id = @id AND account_id = @accountId`;

/** Runs people's decisions, each with its audit entry in one transaction; an account's in the order asked. */
export function deciding({ known, notifier, clock, sealer }: Parts, engine: PostgresEngine): Decide {
  const serial = serialByKey();
  const decide: Decide = async (accountId, id, by, act) => {
    const done = await engine.write(function* (tx): Verb<boolean> {
      const row = yield* first<{ channelId: string; chat: string | null }>(FIND, { id, accountId });
      if (!row) return false;
      yield* tx.holdLanes(row.channelId, row.chat ?? "");
      const decided = yield* act(tx, sealer);
      if (decided) yield* writeAudit(tx, clock.now(), accountId, by, { job: id });
      if (decided && !known.of(accountId))
        for (const [text, values] of notifier.statements([accountId])) yield* run(text, values);
      return decided;
    }, "lanes");
    if (done) await known.reread([accountId]);
    return done;
  };
  // Messages sent again get their places in the lane in the order of the decisions.
  return (accountId, ...decision) => serial(accountId, () => decide(accountId, ...decision));
}

type NoteRow = Pick<Note, "key" | "value"> & { channelId: string };
const SET_NOTES = `INSERT INTO note (channel_id, key, value, updated_at)
  SELECT "channelId", key, value, CAST(@now AS bigint)
  FROM json_to_recordset(CAST(@notes AS json)) AS notes ("channelId" text, key text, value text)
  ON CONFLICT (channel_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;

/** Writes the journal rows and the notes that come with messages. */
async function writeBeside(transaction: LaneTransaction, all: Accepting[], plan: ReadPlan, now: number): Promise<void> {
  /** Notes for which nothing must be read before: one statement writes them all. */
  let plain = new Map<string, NoteRow>();
  const write = () => {
    const notes = [...plain].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, note]) => note);
    if (notes.length > 0) transaction.sent(SET_NOTES, { notes: records(notes), now });
    plain = new Map();
  };
  for (const { channel, arrival, candidates } of all) {
    if (!arrival) continue;
    const { journal, notes } = journalAndNotes(arrival, candidates, channel.id, plan.erased);
    if (journal.length > 0) await transaction.run((tx) => writeJournal(tx, now, channel.id, journal));
    for (const note of notes) {
      const { key, value } = note;
      const isPlain = value !== "" && !note.merge;
      if (isPlain) plain.set(`${channel.id} ${key}`, { channelId: channel.id, key, value });
      else {
        write();
        await transaction.run(() => writeNotes(now, channel.id, [note]));
      }
    }
  }
  write();
}

/** What comes in one request of a messenger or the gateway. */
export interface Accepting {
  channel: Channel;
  direction: MessageDirection;
  candidates: Candidate[];
  arrival?: Arrival;
  /** Late failures of messages that the messenger had accepted. */
  failures?: LateFailure[];
  raw?: Arrival["raw"];
  again?: boolean;
  slots?: ReadySlots;
}

const KEEP_RAW = `INSERT INTO raw_webhook (sealed, received_at) SELECT sealed, "receivedAt"
  FROM json_to_recordset(CAST(@raws AS json)) AS raws (sealed text, "receivedAt" bigint)`;

export interface Accepted {
  /** New events and failures. */
  added: number;
  /** Failures of unknown messages. */
  unmatched: number;
}

/** A request while it is stored. */
interface Storing extends Accepting {
  /** `events`: new events; `news`: new failures. */
  events: number;
  news: number;
  unmatched: number;
  /** Slots left for its jobs. */
  left: number;
  /** Jobs that leave with the commit. */
  jobs: Job[];
}

/** Stores requests, those of a turn together. */
export function accepting(parts: Parts): (what: Accepting) => Promise<Accepted> {
  return batches(async (asked) => {
    const now = parts.clock.now();
    const candidates = asked.flatMap(({ candidates: own, slots }) =>
      own.map((each) => (slots ? { ...each, fence: slots.lease.fence } : each)),
    );
    const failed = asked.flatMap(({ channel, failures = [] }) =>
      failures.map(({ chat }) => ({ channelId: channel.id, chat })),
    );
    const journaled = asked.flatMap(({ channel, arrival }) =>
      (arrival?.journal ?? []).flatMap(chatsOf).map((chat) => ({ channelId: channel.id, chat })),
    );
    const written = candidates.map(({ channel, chat }) => ({ channelId: channel.id, chat }));
    const others = asked.flatMap(({ channel, candidates: own, arrival }) =>
      arrival && own.length === 0 ? [channel.id] : [],
    );
    let planned: ReadPlan | undefined;
    const lanes = [...written, ...failed, ...journaled, ...others.map((channelId) => ({ channelId }))];
    const storing = parts.transactions.inLanes(lanes, async (transaction) => {
      const all = asked.map(
        (each): Storing => ({ ...each, events: 0, news: 0, unmatched: 0, left: each.slots?.most ?? 0, jobs: [] }),
      );
      const owners = all.flatMap((each) => each.candidates.map(() => each));
      const ownerOf = (candidate: number) => owners[candidate] as Storing;
      const mayLeave = (candidate: number) => ownerOf(candidate).left-- > 0;
      const plan = await readNew(transaction, parts.sealer, { candidates, others, now }, mayLeave);
      planned = plan;
      for (const { of } of plan.fresh) ownerOf(of).events += 1;
      for (const request of all) await acceptFailures(parts, transaction, request, now);
      const ids = await store(parts, transaction, all, plan);
      for (const { of, job } of immediateJobsOf(plan, ids, now)) ownerOf(of).jobs.push(job);
      return { all, plan };
    });
    const { all, plan } = await storing.catch(async (error: unknown) => {
      if (planned && isUnknown(error)) await undoImmediateSends(parts, planned);
      throw error;
    });
    parts.known.hint(hintsOf(plan));
    // Calls start before anybody is answered.
    for (const { slots, jobs } of all) if (jobs.length > 0) slots?.begin(jobs);
    const changed = all.filter(({ failures = [] }) => failures.length > 0).map(({ channel }) => channel.accountId);
    await parts.known.reread(changed);
    for (const { channel } of all.filter(isNew)) parts.notifier.changed(channel.accountId);
    for (const { channelId, chat } of journaled) parts.notifier.appended(channelId, [chat]);
    return all.map(({ events, news, unmatched }) => () => ({ added: events + news, unmatched }));
  });
}

const isNew = ({ events, news }: Storing): boolean => events + news > 0;

async function store(parts: Parts, transaction: LaneTransaction, all: Storing[], plan: ReadPlan): Promise<number[]> {
  const { now } = plan;
  const bookings: Booking[] = [];
  const raws: SealedWebhook[] = [];
  const holes = new Map<string, number>();
  await writeBeside(transaction, all, plan, now);
  for (const request of all) {
    const { channel, direction } = request;
    if (request.events > 0) bookings.push(await bookingOf(transaction, request, holes, now));
    const raw = isNew(request) ? request.raw?.() : undefined;
    if (raw) raws.push(keptRaw(channel, direction, now, raw));
  }
  // The holders of other accounts are told.
  const others = all.filter((each) => isNew(each) && !parts.known.of(each.channel.accountId));
  const told = parts.notifier.statements(new Set(others.map(({ channel }) => channel.accountId)));
  if (plan.fresh.length + raws.length + told.length === 0) return [];
  const kept = [...rowsOfRaw(parts.sealer, raws)];
  const [stored] = await transaction.commit(
    storeOf(transaction, plan),
    ...(kept.length > 0 ? [[KEEP_RAW, { raws: records(kept) }] as [string, Record<string, unknown>]] : []),
    [BOOK, sumsOf(bookings)],
    ...told,
  );
  return (stored as { id: number }[]).map(({ id }) => id);
}

async function acceptFailures(
  parts: Parts,
  transaction: LaneTransaction,
  request: Storing,
  now: number,
): Promise<void> {
  const { channel, failures = [] } = request;
  if (failures.length > 0) transaction.sent(LOCK_TIMEOUT);
  for (const failure of failures) {
    const how = await transaction.run((tx) => acceptFailure(tx, parts.sealer, channel, failure, now));
    if (how === "unknown") request.unmatched += 1;
    else if (how !== "known") request.news += 1;
  }
}

/** In a replay, missing events were already counted on arrival. `holes`: what replays have not filled yet, by channel. */
async function bookingOf(
  transaction: LaneTransaction,
  { channel, direction, again, candidates, events }: Storing,
  holes: Map<string, number>,
  now: number,
): Promise<Booking> {
  const { id: channelId, accountId } = channel;
  let accepted = events;
  if (again) {
    const hole = holes.get(channelId) ?? (await transaction.run((tx) => holeOf(tx, channel)));
    accepted = Math.max(0, events - hole);
    holes.set(channelId, Math.max(0, hole - events));
  }
  const last = direction === "inbound" ? { lastInboundAt: now } : { lastOutboundAt: now };
  return { channelId, accountId, accepted, ...(!candidates.every(({ isPast }) => isPast) && last) };
}
