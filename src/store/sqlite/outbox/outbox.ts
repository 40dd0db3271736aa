import type { Clock } from "gangway-messenger/clock";
import type { ChannelId, ChatId } from "gangway-messenger/ids";
import type { Channel } from "../../../domain/channel.ts";
import type { Job, MessageDirection } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
import {
  actCandidate,
  createBackpressure,
  eventCandidate,
  journalAndNotes,
  messageKey,
  peopleOf,
  splitArrival,
  withoutErased,
} from "../../outbox/accepting.ts";
import { dueIn, takeOver } from "../../outbox/dealing.ts";
import { sharedVerbs } from "../../outbox/decisions.ts";
import {
  acceptFailure,
  bookingOf,
  noteOf,
  type OverdueRow,
  overdueBy,
  overdueResult,
  type RecordResult,
  type Result,
  resultVerbs,
  unreadableResults,
  withOvertakingFailure,
} from "../../outbox/results.ts";
import {
  assignmentsOf,
  currentOf,
  type Dialect,
  type JobRows,
  jobOfAck,
  jobsOf,
  messengerChat,
  RETURNED,
  type Recorded,
  textsBy,
  type Update,
} from "../../outbox/rows.ts";
import type { NoticesFor, Outbox } from "../../outbox.ts";
import type { Sealer } from "../../secrets.ts";
import { writeNotes } from "../../tables/channels/channels.ts";
import { writeJournal } from "../../tables/channels/raw-webhooks.ts";
import { MAX_TRIES } from "../../tables/messages/messages.ts";
import type { MessageRow } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import { book, runNow, sqliteEngine, transactionOf } from "../tables/engine.ts";
import {
  acceptAndKeep,
  acceptNew,
  claimHeads,
  deciding,
  factsIn,
  goneOf,
  hasSlot,
  type ImmediateJobs,
  maySend,
  unknownOf,
  writeAndSend,
} from "./accepting.ts";

const TROUBLED = "SELECT id FROM account WHERE trouble IS NOT NULL";
const CLEAR_TROUBLE = "UPDATE account SET trouble = NULL, rest_until = 0 WHERE id = @account";

/** SQL of a column of tries with room for one more. */
const keptTries = (column: string) =>
  `iif(json_array_length(${column}) >= ${MAX_TRIES}, json_remove(${column}, '$[1]'), coalesce(${column}, '[]'))`;
const DIALECT: Dialect = {
  value: (name) => `@${name}`,
  tried: (name) =>
    `json_insert(${keptTries(name === "tries" ? "tries" : "ack_tries")}, '$[#]', json_array(@updatedAt, @${name}))`,
};
const textOf = textsBy(
  (kind, names) => `UPDATE message SET ${assignmentsOf(kind, names, DIALECT)}
    WHERE id = @id AND ${currentOf(kind, DIALECT)} RETURNING ${RETURNED}`,
);
const ACK = "SELECT ack FROM message WHERE id = @id";

/** Undefined when the lease is stale, or a newer outcome has replaced the ack. */
function update(db: Database, given: Update): Recorded | undefined {
  const { job, set, until } = given;
  const { id, fence, ackVersion = 0 } = job;
  // The state now, not at the claim: a refused ack may have been owed again since.
  const isOwedAgain = set.ackBody !== undefined && set.ackBody !== null && ackVersion > 0;
  const before = isOwedAgain ? (db.prepared(ACK).get({ id }) as Pick<MessageRow, "ack"> | undefined) : undefined;
  const values = { ...set, id, was: fence, version: ackVersion, until };
  const row = db.prepared(textOf(given)).get(values) as Recorded | undefined;
  if (row) row.ackBefore = before?.ack;
  return row;
}

const sendingUnder = (ackFence: number) => ({ ack: "sending" as const, ackAttempts: 1, ackFence, inOwnCode: 0 });

/** Records a result with what follows from it. False, and nothing is recorded, when its job no longer runs. */
function finish(db: Database, given: Result, now: number, immediate?: ImmediateJobs): boolean {
  const result = given.sent ? runNow(db, withOvertakingFailure(transactionOf(db), given, now)) : given;
  const { kind, job, until, ack, after, passed, note } = result;
  const { accountId, channelId } = job;
  const leaves = ack && immediate && hasSlot(immediate) && maySend(db, { accountId, channelId, direction: "ack" }, now);
  const set = leaves ? { ...result.set, ...sendingUnder(immediate.slots.lease.fence) } : result.set;
  const row = update(db, { kind, job, until, set });
  if (!row) return false;
  const booking = bookingOf(result, row);
  if (booking) book(db, booking);
  // Nothing to book: the ledger counts held messages as waiting.
  else if (kind !== "ack" && row.state === "held") db.versions.bump(accountId);
  if (leaves) immediate.jobs.push(jobOfAck(row, ack));
  if (after) runNow(db, after());
  if (passed) clearTrouble(db, accountId);
  const told = note && runNow(db, noteOf(result));
  if (told) acceptNew(db, [eventCandidate({ id: channelId, accountId }, told, now, 0)], now);
  return true;
}

/** A gateway call with the account's token succeeded. */
function clearTrouble(db: Database, account: AccountId): void {
  const troubled = db.rows.find("accounts", "troubled", () => new Set(db.prepared(TROUBLED).pluck().all()));
  if (troubled?.has(account)) db.prepared(CLEAR_TROUBLE).run({ account });
}

const [OVERDUE, CLOSING] = [overdueBy("deadline"), overdueBy("channel")];

/** Ends overdue messages, or with `channelId` all waiting outbound ones of the channel. */
function endWaiting(db: Database, now: number, noticesFor: NoticesFor, channelId?: ChannelId): number {
  const isClosing = channelId !== undefined;
  const found = db.prepared(isClosing ? CLOSING : OVERDUE).all({ now, channelId }) as OverdueRow[];
  for (const row of found) finish(db, overdueResult(row, now, noticesFor, isClosing), now);
  return found.length;
}

/** Builds jobs from rows, and ends those whose content cannot be read. */
function readable(db: Database, rows: JobRows, now: number): Job[] {
  const { jobs, unreadable } = jobsOf(rows);
  for (const result of unreadableResults(unreadable, now)) finish(db, result, now);
  return jobs;
}

export function outbox(db: Database, sealer: Sealer, clock: Clock): Outbox {
  const { write } = db;
  const decide = deciding(db, sealer, clock);
  const backpressure = createBackpressure(db.bounds, clock);
  /** Call before any write. Throws Overload. */
  const admit = ({ id: channelId, accountId }: Channel, direction: MessageDirection, chats: ChatId[]) => {
    db.disk.admit();
    const stored = runNow(db, backpressure.admit(transactionOf(db), { accountId, channelId, direction, chats }));
    db.onUndo(() => stored(0));
    return stored;
  };
  const record: RecordResult = (result) =>
    writeAndSend(db, result.slots, (immediate) => finish(db, result, clock.now(), immediate));
  return {
    acceptInbound: async (channel, arrival, slots) => {
      const { added, unmatched } = await writeAndSend(db, slots, (immediate) => {
        const now = clock.now();
        const { candidates: all, failures } = splitArrival(arrival, channel, now);
        const erased = goneOf(db, sealer, channel.id, () => ({
          messages: all.map(messageKey),
          names: peopleOf(all),
        }));
        const { journal, notes } = journalAndNotes(arrival, all, channel.id, erased);
        const candidates = withoutErased(all, erased);
        const stored = admit(
          channel,
          "inbound",
          candidates.flatMap(({ event }) => event?.chat ?? []),
        );
        runNow(db, writeJournal(db, now, channel.id, journal));
        runNow(db, writeNotes(now, channel.id, notes));
        const late = failures.map((failure) =>
          runNow(db, acceptFailure(transactionOf(db), sealer, channel, failure, now)),
        );
        const accept = () => acceptNew(db, candidates, now, erased, immediate);
        const { raw, again } = arrival;
        const from = { channel, direction: "inbound" as const, raw, again };
        const changes = late.filter((how) => how === "applied" || how === "kept").length;
        const added = acceptAndKeep(db, from, now, accept, changes);
        // Late failures add no waiting messages.
        stored(Math.min(candidates.length, added));
        return { added, unmatched: late.filter((how) => how === "unknown").length };
      });
      if (unmatched > 0) arrival.unmatched?.(unmatched);
      return added;
    },
    acceptOutbound: (channel, acceptance, slots) =>
      writeAndSend(db, slots, (immediate) => {
        const now = clock.now();
        const chat = runNow(db, messengerChat(transactionOf(db), channel.id, acceptance.act.chat));
        const stored = admit(channel, "outbound", [chat]);
        const candidates = [actCandidate(channel, acceptance, chat, now)];
        const erased = goneOf(db, sealer, channel.id, () => ({ messages: candidates.map(messageKey) }));
        const accept = () => acceptNew(db, candidates, now, erased, immediate);
        const { raw, again } = acceptance;
        const added = acceptAndKeep(db, { channel, direction: "outbound", raw, again }, now, accept);
        stored(added);
        return added === 1;
      }),
    unknown: async (channelId, direction, keys) => unknownOf(db, sealer, { channelId, direction }, keys),
    claim: async (lease, room) => {
      if (room.most === 0) return [];
      const take = () => {
        const now = clock.now();
        return readable(db, claimHeads(db, lease, room, now), now);
      };
      return new Promise((first, fail) => void write(take, { first }).catch(fail));
    },
    ...resultVerbs(record, clock),
    takeOver: (lease) => write(() => readable(db, runNow(db, takeOver(transactionOf(db), lease)), clock.now())),
    endOverdue: (noticesFor) => write(() => endWaiting(db, clock.now(), noticesFor)),
    endChannel: (channelId, noticesFor) => write(() => endWaiting(db, clock.now(), noticesFor, channelId)),
    refresh: refreshing(db),
    revoked: async (jobs) => [...jobs].filter((job) => isRevoked(db, job)),
    nextDue(accountId) {
      const hints = db.due.hints(accountId);
      const facts = hints.size > 0 ? factsIn(db, accountId) : undefined;
      return facts?.works ? dueIn(hints, facts, clock.now()) : { due: [] };
    },
    hosts: (accountId) => factsIn(db, accountId)?.hosts ?? { kindOf: new Map() },
    ...sharedVerbs(sqliteEngine(db), decide, clock),
  };
}

const UNDER_WAY = "SELECT 1 FROM message WHERE id = @id AND state = 'sending' AND fence = @fence";
const ACK_UNDER_WAY = "SELECT 1 FROM message WHERE id = @id AND ack = 'sending' AND ack_fence = @fence";

function isRevoked(db: Database, { id, fence, direction }: Job): boolean {
  const find = db.prepared(direction === "ack" ? ACK_UNDER_WAY : UNDER_WAY);
  return find.get({ id, fence }) === undefined;
}

function refreshing({ others }: Database): Outbox["refresh"] {
  let last = others.look();
  return async () => {
    const before = last;
    last = others.look();
    return last !== before;
  };
}
