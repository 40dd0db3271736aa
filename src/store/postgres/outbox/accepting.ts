import { serialByKey } from "gangway-messenger/concurrency";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Channel } from "../../../domain/channel.ts";
import type { Job } from "../../../domain/delivery.ts";
import type { LateFailure } from "../../../domain/message.ts";
import type { Note } from "../../channels.ts";
import { type Candidate, hintsOf, leavingOf, withoutErased } from "../../outbox/accepting.ts";
import type { Decide } from "../../outbox/effects.ts";
import { acceptFailure } from "../../outbox/results.ts";
import type { Arrival, Held, Source } from "../../outbox.ts";
import { writeAudit } from "../../tables/accounts/audit.ts";
import { holeOf } from "../../tables/accounts/ledger.ts";
import { writeNotes } from "../../tables/channels/channels.ts";
import { chatsOf, rowsOfRaw, type SealedWebhook, writeJournal } from "../../tables/channels/raw-webhooks.ts";
import { type Booking, first, run, type Verb } from "../../tables/engine.ts";
import { BOOK, type PostgresEngine, sumsOf } from "../database/engine.ts";
import { isUnknown } from "../database/faults.ts";
import type { Session } from "../database/sessions.ts";
import { undoLeaving } from "./doubts.ts";
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
    if (done && known.of(accountId)) await known.load([accountId]);
    return done;
  };
  // What is sent again takes its place in the lane as it is decided.
  return (accountId, ...decision) => serial(accountId, () => decide(accountId, ...decision));
}

type NoteRow = Pick<Note, "key" | "value"> & { channelId: string };
const SET_NOTES = `INSERT INTO note (channel_id, key, value, updated_at)
  SELECT "channelId", key, value, CAST(@now AS bigint)
  FROM json_to_recordset(CAST(@notes AS json)) AS notes ("channelId" text, key text, value text)
  ON CONFLICT (channel_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;

interface Request {
  channel: Channel;
  arrival?: Arrival;
}

/** The journals and the notes that come with messages. */
async function writeBeside(session: Session, all: Request[], plan: ReadPlan, now: number): Promise<void> {
  /** Those that need nothing read before: one statement writes them all. */
  let plain = new Map<string, NoteRow>();
  const write = () => {
    const notes = [...plain].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, note]) => note);
    if (notes.length > 0) session.sent(SET_NOTES, { notes: records(notes), now });
    plain = new Map();
  };
  for (const { channel, arrival } of all) {
    if (!arrival || plan.erased.channels.has(channel.id)) continue;
    const { journal, notes } = withoutErased(arrival, (event) => isErased(plan, channel, event));
    if (journal.length > 0) await session.run((tx) => writeJournal(tx, now, channel.id, journal));
    for (const note of notes) {
      const { key, value } = note;
      const isPlain = value !== "" && !note.merge;
      if (isPlain) plain.set(`${channel.id} ${key}`, { channelId: channel.id, key, value });
      else {
        write();
        await session.run(() => writeNotes(now, channel.id, [note]));
      }
    }
  }
  write();
}

const isErased = ({ erased }: ReadPlan, channel: Channel, { key }: ChannelEvent) =>
  erased.keys.has(`${channel.id} ${key}`);

/** What comes in one request of a messenger or the gateway. */
interface Accepting {
  channel: Channel;
  source: Source;
  candidates: Candidate[];
  arrival?: Arrival;
  /** Of messages that the messenger had accepted. */
  failures?: LateFailure[];
  raw?: Arrival["raw"];
  again?: boolean;
  held?: Held;
}

const KEEP_RAW = `INSERT INTO raw_webhook (sealed, received_at) SELECT sealed, "receivedAt"
  FROM json_to_recordset(CAST(@raws AS json)) AS raws (sealed text, "receivedAt" bigint)`;

interface Accepted {
  /** New events. */
  added: number;
  /** Failures of unknown messages. */
  unmatched: number;
}

/** Stores what comes. */
export function accepting(parts: Parts): (what: Accepting) => Promise<Accepted> {
  return batches(async (all) => {
    const now = parts.clock.now();
    const candidates = all.flatMap(({ candidates: own, held }) =>
      own.map((each) => (held ? { ...each, fence: held.lease.fence } : each)),
    );
    const owners = all.flatMap((each, n) => each.candidates.map(() => n));
    const failed = all.flatMap(({ channel, failures = [] }) =>
      failures.map(({ chat }) => ({ channelId: channel.id, chat })),
    );
    const journaled = all.flatMap(({ channel, arrival }) =>
      (arrival?.journal ?? []).flatMap(chatsOf).map((chat) => ({ channelId: channel.id, chat })),
    );
    const written = candidates.map(({ channel, chat }) => ({ channelId: channel.id, chat }));
    const chats = [...written, ...failed, ...journaled];
    let planned: ReadPlan | undefined;
    const storing = parts.sessions.inLanes(chats, async (session) => {
      const left = all.map(({ held }) => held?.most ?? 0);
      const mayLeave = (n: number) => {
        const owner = owners[n] as number;
        left[owner] = (left[owner] ?? 0) - 1;
        return (left[owner] as number) >= 0;
      };
      const plan = await readNew(session, parts.sealer, candidates, now, mayLeave);
      planned = plan;
      const added = all.map((_, n) => plan.fresh.filter(({ of }) => owners[of] === n).length);
      const late: LateCount[] = [];
      for (const request of all) late.push(await acceptFailures(parts, session, request, now));
      const ids = await store(parts, session, { all, plan, added, late, now });
      return {
        plan,
        ids,
        accepted: all.map((_, n) => ({
          added: (added[n] ?? 0) + (late[n]?.news ?? 0),
          unmatched: late[n]?.unmatched ?? 0,
        })),
      };
    });
    const stored = await storing.catch(async (error: unknown) => {
      if (planned && isUnknown(error)) await undoLeaving(parts, planned);
      throw error;
    });
    parts.known.hint(hintsOf(stored.plan));
    begin(all, owners, stored.plan, stored.ids, now);
    const changed = all.filter(({ failures = [] }) => failures.length > 0).map(({ channel }) => channel.accountId);
    await parts.known.load(changed.filter((id) => parts.known.of(id)));
    for (const [n, { added }] of stored.accepted.entries())
      if (added > 0) parts.notifier.changed((all[n] as Accepting).channel.accountId);
    for (const { channelId, chat } of journaled) parts.notifier.appended(channelId, [chat]);
    return stored.accepted.map((each) => () => each);
  });
}

interface Storing {
  all: Accepting[];
  plan: ReadPlan;
  /** New events of each. */
  added: number[];
  late: LateCount[];
  now: number;
}

async function store(parts: Parts, session: Session, { all, plan, added, late, now }: Storing): Promise<number[]> {
  const bookings: Booking[] = [];
  const raws: SealedWebhook[] = [];
  const holes = new Map<string, number>();
  await writeBeside(session, all, plan, now);
  for (const [n, request] of all.entries()) {
    await bookAccepted(session, bookings, request, { added: added[n] ?? 0, holes, now });
    const raw = (added[n] ?? 0) + (late[n]?.news ?? 0) > 0 ? request.raw?.() : undefined;
    const { id: channelId, accountId: account } = request.channel;
    if (raw) raws.push({ account, channelId, source: request.source, receivedAt: now, raw });
  }
  const told = noticesOf(parts, { all, added, late });
  if (plan.fresh.length + raws.length + told.length === 0) return [];
  const kept = [...rowsOfRaw(parts.sealer, raws)];
  const [stored] = await session.commit(
    storeOf(session, plan),
    ...(kept.length > 0 ? [[KEEP_RAW, { raws: records(kept) }] as [string, Record<string, unknown>]] : []),
    [BOOK, sumsOf(bookings)],
    ...told,
  );
  return (stored as { id: number }[]).map(({ id }) => id);
}

/** The statements that tell the holders of other accounts. */
function noticesOf(
  { known, notifier }: Parts,
  { all, added, late }: Pick<Storing, "all" | "added" | "late">,
): [string, Record<string, unknown>][] {
  const isNew = (n: number) => (added[n] ?? 0) + (late[n]?.news ?? 0) > 0;
  const ids = all.flatMap(({ channel: { accountId } }, n) => (isNew(n) && !known.of(accountId) ? [accountId] : []));
  return notifier.statements(new Set(ids));
}

interface LateCount {
  /** Failures that are new. */
  news: number;
  unmatched: number;
}

async function acceptFailures(parts: Parts, session: Session, request: Accepting, now: number): Promise<LateCount> {
  const { channel, failures = [] } = request;
  const count = { news: 0, unmatched: 0 };
  if (failures.length > 0) session.sent(LOCK_TIMEOUT);
  for (const failure of failures) {
    const how = await session.run((tx) => acceptFailure(tx, parts.sealer, channel, failure, now));
    if (how === "unknown") count.unmatched += 1;
    else if (how !== "known") count.news += 1;
  }
  return count;
}

interface Counted {
  added: number;
  /** What replays have not filled yet, by channel. */
  holes: Map<string, number>;
  now: number;
}

/** In a replay, missing events were already counted on arrival. */
async function bookAccepted(
  session: Session,
  bookings: Booking[],
  { channel, source, again, candidates }: Accepting,
  { added, holes, now }: Counted,
): Promise<void> {
  if (added === 0) return;
  const { id: channelId, accountId } = channel;
  if (again && !holes.has(channelId)) holes.set(channelId, await session.run((tx) => holeOf(tx, channel)));
  const counted = again ? Math.min(holes.get(channelId) ?? 0, added) : 0;
  if (again) holes.set(channelId, (holes.get(channelId) ?? 0) - counted);
  const last = source === "messenger" ? { lastInboundAt: now } : { lastOutboundAt: now };
  const isOld = candidates.every(({ isPast }) => isPast);
  bookings.push({ channelId, accountId, accepted: added - counted, ...(!isOld && last) });
}

/** Sends what leaves, before anybody is answered. */
function begin(all: Accepting[], owners: number[], plan: ReadPlan, ids: number[], now: number): void {
  const jobs = all.map((): Job[] => []);
  for (const { of, job } of leavingOf(plan, ids, now)) jobs[owners[of] as number]?.push(job);
  for (const [n, { held }] of all.entries()) if (held && jobs[n]?.length) held.begin(jobs[n]);
}
