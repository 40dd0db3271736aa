import type { Channel } from "../../../domain/channel/channel.ts";
import type { Job } from "../../../domain/delivery/delivery.ts";
import type { ChatId } from "../../../domain/ids.ts";
import type { Clock } from "../../../domain/time/clock.ts";
import { actCandidate, eventCandidate } from "../../outbox/accepting.ts";
import { NOTHING, withoutErased } from "../../outbox/arrivals.ts";
import { createBackpressure } from "../../outbox/backpressure.ts";
import { endedVerbs } from "../../outbox/decisions.ts";
import { type JobRows, jobsOf } from "../../outbox/jobs.ts";
import { acceptFailure } from "../../outbox/late.ts";
import { recentCalls, takeOver } from "../../outbox/recovery.ts";
import { type RecordResult, resultVerbs, unreadableResults } from "../../outbox/results.ts";
import type { Outbox } from "../../outbox.ts";
import type { Sealer } from "../../secrets.ts";
import type { SealedWebhook } from "../../tables/channels/raw-webhooks.ts";
import { extendDeadlines, rebaseTimers } from "../../tables/messages/timers.ts";
import type { Database } from "../database/db.ts";
import { messengerChat } from "../tables/chats.ts";
import { runNow, sqliteEngine, transactionOf, writeJournal, writeNotes } from "../tables/engine.ts";
import { keepRaw } from "../tables/raw-webhooks.ts";
import { acceptAndKeep, acceptNew, isErased, isKnown } from "./accepting.ts";
import { claimHeads, hostsOf, nextDue } from "./claims.ts";
import { deciding, effectsIn } from "./effects.ts";
import { expireOverdue, finish } from "./finishing.ts";
import { writeAndSend } from "./leaving.ts";

/** Jobs of rows; ends those whose content cannot be read. */
function readable(db: Database, rows: JobRows, now: number): Job[] {
  const { jobs, unreadable } = jobsOf(rows);
  for (const result of unreadableResults(unreadable, now)) finish(db, result, now);
  return jobs;
}

export function outbox(db: Database, sealer: Sealer, clock: Clock): Outbox {
  const { write } = db;
  const effects = effectsIn(db, sealer);
  const keep = (requests: SealedWebhook[]) => keepRaw(db, sealer, requests);
  const decide = deciding(db, sealer, clock);
  const { read } = sqliteEngine(db);
  const backpressure = createBackpressure(db.bounds, clock);
  /** Call before any write. Throws Overload. */
  const admit = ({ id: channelId, accountId }: Channel, direction: "inbound" | "outbound", chats: ChatId[]) => {
    db.disk.admit();
    const stored = runNow(db, backpressure.admit(transactionOf(db), { accountId, channelId, direction, chats }));
    db.onUndo(() => stored(0));
    return stored;
  };
  const record: RecordResult = (result) =>
    writeAndSend(db, result.held, (leaving) => finish(db, result, clock.now(), leaving));
  return {
    acceptInbound: async (channel, arrival, held) => {
      const { added, unmatched } = await writeAndSend(db, held, (leaving) => {
        const now = clock.now();
        const { events, failures, journal, notes } = db.tombstones.isGone(channel.id)
          ? NOTHING
          : withoutErased(arrival, ({ key }) => isErased(db, sealer, channel.id, "messenger", key));
        const stored = admit(
          channel,
          "inbound",
          events.map(({ chat }) => chat),
        );
        writeJournal(db, now, channel.id, journal);
        writeNotes(db, now, channel.id, notes);
        const late = failures.map((failure) => runNow(db, acceptFailure(effects, channel, failure, now)));
        const candidates = events.map((event) => eventCandidate(channel, event, now));
        const accept = () => acceptNew(db, candidates, now, leaving);
        const { raw, again } = arrival;
        const from = { channel, source: "messenger" as const, keep, raw, again };
        const changes = late.filter((how) => how === "applied" || how === "kept").length;
        const added = acceptAndKeep(db, from, now, accept, changes);
        // Late failures are no messages that wait.
        stored(Math.min(events.length, added));
        return { added, unmatched: late.filter((how) => how === "unknown").length };
      });
      if (unmatched > 0) arrival.unmatched?.(unmatched);
      return added;
    },
    acceptOutbound: (channel, acceptance, held) =>
      writeAndSend(db, held, (leaving) => {
        const now = clock.now();
        const chat = messengerChat(db, channel.id, acceptance.act.chat);
        const stored = admit(channel, "outbound", [chat]);
        const candidates = isErased(db, sealer, channel.id, "gateway", acceptance.key)
          ? []
          : [actCandidate(channel, acceptance, chat, now)];
        const accept = () => acceptNew(db, candidates, now, leaving);
        const { raw, again } = acceptance;
        const added = acceptAndKeep(db, { channel, source: "gateway", keep, raw, again }, now, accept);
        stored(added);
        return added === 1;
      }),
    unknown: async (channelId, source, keys) => keys.filter((key) => !isKnown(db, sealer, channelId, source, key)),
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
    expire: (...how) => write(() => expireOverdue(db, clock.now(), ...how)),
    recentCalls: (since) => read((tx) => recentCalls(tx, since)),
    extendDeadlines: (by) => write(() => runNow(db, extendDeadlines(by))),
    rebaseTimers: (restMs) => write(() => runNow(db, rebaseTimers(clock.now(), restMs))),
    refresh: refreshing(db),
    revoked: async (jobs) => [...jobs].filter((job) => isRevoked(db, job)),
    nextDue: (accountId) => nextDue(db, accountId, clock.now()),
    hosts: (accountId) => hostsOf(db, accountId),
    ...endedVerbs({ read }, decide, clock),
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
