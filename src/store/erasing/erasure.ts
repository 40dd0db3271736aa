import { setTimeout } from "node:timers/promises";
import type { Clock } from "gangway-messenger/clock";
import { serialByKey } from "gangway-messenger/concurrency";
import { type ChannelId, type CustomerId, fingerprint, newId } from "gangway-messenger/ids";
import { pastLaneOf } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import {
  type AskedErasure,
  BACKUP_MADE,
  type Erased,
  type ErasureStore,
  type KnownBackup,
  type NotePrefix,
  type Person,
} from "../care.ts";
import { type Address, ifOpens, type Sealer } from "../secrets.ts";
import { writeAudit } from "../tables/accounts/audit.ts";
import { channelsOf, REQUEST } from "../tables/care/sealed.ts";
import { all, type Engine, first, just, run, type Transaction, type Verb } from "../tables/engine.ts";
import {
  beginErasure,
  buryNames,
  type Counts,
  type Covered,
  countErased,
  DROPPED,
  type Dropped,
  dropWork,
  endAll,
  endErasure,
  erasedSince,
  goneChannels,
  inclusion,
  oweTraces,
  type Pending,
  pendingErasures,
} from "../tables/erasing/erasures.ts";
import { type Belongings, belongingsOf, findPeople, personIn } from "../tables/messages/people.ts";
import { closeAccount, eraseAccount, eraseCustomer, eraseParked, namedBy } from "./customer.ts";
import type { ErasingEngine, Run } from "./engine.ts";
import { recordsOf } from "./export.ts";

/** A person's request, made at their messenger, for erasure from all channels of its kind. */
interface AskedRequest {
  id: string;
  kind: string;
  customer: CustomerId;
}

const addressOf = (row: string): Address => ({ ...REQUEST, row });

/** As long as an id, characters. */
const CODE_LENGTH = 22;
const ADD = `INSERT INTO ${REQUEST.table} (id, kind, sealed, created_at) VALUES (@id, @kind, @sealed, @now)
  ON CONFLICT DO NOTHING`;
const PENDING = `SELECT id, kind, sealed FROM ${REQUEST.table} WHERE sealed IS NOT NULL ORDER BY created_at`;
const STATE = `SELECT created_at AS at, done_at AS "doneAt" FROM ${REQUEST.table} WHERE id = @id`;
const END = `UPDATE ${REQUEST.table} SET sealed = NULL, done_at = @now WHERE id = @id AND sealed IS NOT NULL`;
const CHANNELS = `SELECT id, account_id AS "accountId" FROM channel WHERE kind = @kind`;

/** Resolves with the code for looking up the request; only the code's fingerprint is stored. */
async function addRequest(
  { write }: Engine,
  sealer: Sealer,
  { kind, customer, proof, now }: Omit<AskedRequest, "id"> & { proof?: string; now: number },
): Promise<string> {
  const code = proof === undefined ? newId<string>() : fingerprint(`${kind}:${proof}`).slice(0, CODE_LENGTH);
  const id = fingerprint(code);
  const sealed = sealer.seal(customer, addressOf(id));
  await write(() => run(ADD, { id, kind, sealed, now }));
  return code;
}

function* requestState(code: string): Verb<AskedErasure | undefined> {
  const row = yield* first<{ at: number; doneAt: number | null }>(STATE, { id: fingerprint(code) });
  return row && { at: row.at, doneAt: row.doneAt ?? undefined };
}

function* pendingRequests(sealer: Sealer): Verb<AskedRequest[]> {
  const rows = yield* all<{ id: string; kind: string; sealed: string }>(PENDING);
  return rows.flatMap(({ id, kind, sealed }) => {
    const customer = ifOpens(() => sealer.open(sealed, addressOf(id)) as CustomerId);
    return customer === undefined ? [] : [{ id, kind, customer }];
  });
}

/** Call within a write. */
const endRequest = ({ id }: AskedRequest, now: number): Verb<void> => run(END, { id, now });

/** The customer, in each channel of the kind that knows them. */
async function peopleOf(
  engine: Engine,
  { kind, customer }: AskedRequest,
): Promise<{ accountId: AccountId; person: Person }[]> {
  const channels = await engine.read(() => all<{ id: string; accountId: AccountId }>(CHANNELS, { kind }));
  const found = await personIn(
    engine,
    channels.map(({ id }) => id),
    customer,
  );
  return channels.flatMap(({ id, accountId }) => {
    const person = found.get(id);
    return person ? [{ accountId, person }] : [];
  });
}

type Row = Dropped & Covered;
const SELECT = `SELECT ${DROPPED}, chat, carrier FROM message WHERE account_id = @accountId AND channel_id = @channelId`;
const LIVE = `${SELECT} AND state IN ('ready','sending','waiting') ORDER BY id`;
const OWED = `${SELECT} AND ack IN ('due','sending') ORDER BY id`;

const isSending = ({ state, ack }: Row) => state === "sending" || ack === "sending";

/** Live messages and owed acks that the erasure covers in a channel. */
function* liveOf({ accountId, of }: Pending, channelId: string): Verb<Row[]> {
  const isCovered = inclusion(of);
  const rows = new Map<number, Row>();
  for (const text of [LIVE, OWED])
    for (const row of yield* all<Row>(text, { accountId, channelId })) if (isCovered(row)) rows.set(row.id, row);
  return [...rows.values()];
}

/**
 * Call within an erasure's first transaction: ends all live messages and owed acks that it covers, so that senders need
 * not check for erasures. Locks only these rows: another program may hold others for long.
 */
function* revoke({ lockMessages }: ErasingEngine, tx: Transaction, erasure: Pending): Verb<void> {
  const { of } = erasure;
  for (const channelId of "channels" in of ? of.channels : [of.channelId]) {
    const locked = new Set<number>();
    let rows = yield* liveOf(erasure, channelId);
    for (let left = rows; left.length > 0; left = rows.filter(({ id }) => !locked.has(id))) {
      for (const { id } of left) locked.add(id);
      if (!(yield* lockMessages(left.map(({ id }) => id)))) break;
      rows = yield* liveOf(erasure, channelId);
    }
    if ("chats" in of) yield* dropWork(tx, rows);
    // No bookings: the ledger is gone. Waiting rows need no update: nobody can claim them now.
    else yield* endAll(tx, rows.filter(isSending));
  }
}

interface Parts {
  erasingEngine: ErasingEngine;
  /** Must not feed the log's mask: raw webhooks are customers' text, not secrets. */
  sealer: Sealer;
  clock: Clock;
  notes?: NotePrefix[];
}

/** Parts parked for logins of this kind without a channel. */
const STRANGERS_OF = "channel_id IS NULL AND substr(login, 1, length(@login)) = @login";
/** Polling interval while another process finishes, ms. */
const LOOK_MS = 250;

export function erasureStore(parts: Parts): ErasureStore {
  const { erasingEngine, sealer, clock } = parts;
  const { engine, removeTraces } = erasingEngine;
  const running = new Map<string, Promise<Counts | undefined>>();
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  erasingEngine.onOthers(notify);
  /** Undefined when another process is running it. */
  const finishAlone = async ({ id }: Pending, act: () => Promise<Counts>): Promise<Erased | undefined> => {
    const run = running.get(id) ?? erasingEngine.alone(id, act);
    running.set(id, run);
    const counts = await run.finally(() => running.delete(id));
    return counts && { ...counts, gone: await removeTraces("soon") };
  };
  const finish = (erasure: Pending): Promise<Erased> =>
    untilUnlocked(erasingEngine, () => finishAlone(erasure, () => eraseToEnd(parts, erasure)));
  const begin = async (erasure: Pending | undefined) => {
    if (erasure) notify();
    return erasure && finish(erasure);
  };
  const interrupted = async (is: (erasure: Pending) => boolean) =>
    (await engine.read(() => pendingErasures(sealer))).find(is);
  const customer: ErasureStore["customer"] = async (accountId, person, by) => {
    const known = await interrupted(
      ({ of }) => "chats" in of && of.channelId === person.channelId && of.chats.includes(person.chat),
    );
    const before = known && known.accountId === accountId ? await finish(known) : undefined;
    const theirs = await belongingsOf(engine, accountId, person, parts.notes ?? []);
    const erased = theirs && (await begin(await beginCustomer(parts, { accountId, by }, theirs)));
    return erased && before ? sumOf(before, erased) : (erased ?? before);
  };
  const oneByOne = serialByKey<"requests">();
  const fulfil = async () => {
    const done: Erased[] = [];
    for (const asked of await engine.read(() => pendingRequests(sealer))) {
      for (const { accountId, person } of await peopleOf(engine, asked)) {
        const erased = await customer(accountId, person, { actor: "customer", action: "customer erased" });
        if (erased) done.push(erased);
      }
      const strangers = { erasingEngine, sealer, count: () => just(undefined) };
      await eraseParked(strangers, STRANGERS_OF, { login: `${asked.kind}:` }, namedBy([asked.customer]));
      await engine.write(function* () {
        yield* endRequest(asked, clock.now());
        yield* oweTraces();
      });
      await removeTraces("soon");
    }
    return done;
  };
  return {
    ask: (kind, customer, proof) => addRequest(engine, sealer, { kind, customer, proof, now: clock.now() }),
    asked: (code) => engine.read(() => requestState(code)),
    fulfil: () =>
      oneByOne("requests", () => untilUnlocked(erasingEngine, () => erasingEngine.alone("requests", fulfil))),
    find: (accountId, text) => findPeople(engine, accountId, text),
    async export(accountId, person, by, maxBytes = Number.POSITIVE_INFINITY) {
      const records = await recordsOf(engine, accountId, person, parts.notes ?? [], maxBytes);
      if (!records || records === "too-large") return records;
      const { channelId: channel, messages, files } = records;
      const detail = { channel, messages: messages.length, files: files.length };
      await engine.write((tx) => writeAudit(tx, clock.now(), accountId, by, detail));
      return records;
    },
    customer,
    async account(accountId, by) {
      const known = await interrupted((erasure) => "channels" in erasure.of && erasure.accountId === accountId);
      return known ? finish(known) : begin(await beginAccount(parts, { accountId, by }));
    },
    async resume(minAgeMs = 0) {
      const pending = await engine.read(() => pendingErasures(sealer));
      const done: Erased[] = [];
      for (const erasure of pending.filter(({ at }) => clock.now() - at >= minAgeMs)) {
        const erased = await finishAlone(erasure, () => eraseToEnd(parts, erasure));
        if (erased) done.push(erased);
      }
      return done;
    },
    onErased: (listener) => void listeners.push(listener),
    isErased: (channelId, names, since) => engine.read(() => erasedSince(sealer, channelId, names, since)),
    goneChannels: async () => (await engine.read(goneChannels)) as ChannelId[],
    removeTraces: () => removeTraces(),
    oweTraces: () => engine.write(oweTraces),
    backups: async () =>
      [...(await engine.read(recordedBackups)), ...erasingEngine.copies()].sort((a, b) => b.at - a.at),
  };
}

/** Retries until the process that is running it has finished or died. */
async function untilUnlocked<T>(erasingEngine: ErasingEngine, attempt: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const done = await attempt();
    if (done !== undefined) return done;
    await setTimeout(LOOK_MS);
    erasingEngine.assertOpen();
  }
}

type Asked = Pick<Pending, "by"> & { accountId: AccountId };

function* last(table: string, key: string): Verb<number> {
  return (yield* first<{ last: number }>(`SELECT coalesce(max(${key}), 0) AS last FROM ${table}`))?.last ?? 0;
}

/** After this commit nothing of the customer is sent, and work under way stores nothing. */
const beginCustomer = ({ erasingEngine, sealer, clock }: Parts, asked: Asked, theirs: Belongings): Promise<Pending> =>
  erasingEngine.engine.write(function* (tx): Verb<Pending> {
    const { channelId, chats, customer, otherIds = [] } = theirs;
    yield* erasingEngine.hold([channelId]);
    const upTo = { message: yield* last("message", "id"), line: yield* last("journal", "position") };
    const erasure: Pending = { ...asked, id: newId<string>(), at: clock.now(), of: { ...theirs, upTo } };
    yield* beginErasure(sealer, erasure);
    // Includes names under which nobody writes: a new conversation removes only the others.
    const names = [
      ...chats,
      ...[...chats, ...otherIds].map(pastLaneOf),
      ...(customer === undefined ? [] : [customer]),
      erasure.id,
    ];
    yield* buryNames(tx, sealer, channelId, [...new Set(names)], erasure.at);
    for (const chat of chats)
      yield* run("DELETE FROM chat WHERE channel_id = @channelId AND chat = @chat", { channelId, chat });
    yield* revoke(erasingEngine, tx, erasure);
    yield* erasingEngine.tellOthers();
    yield* oweTraces();
    return erasure;
  }, "lanes");

const OFF = "SELECT 1 FROM account WHERE id = @accountId AND active = 0";

/** Undefined when the account is active. */
const beginAccount = ({ erasingEngine, sealer, clock }: Parts, asked: Asked): Promise<Pending | undefined> =>
  erasingEngine.engine.write(function* (tx): Verb<Pending | undefined> {
    const { accountId } = asked;
    yield* erasingEngine.holdAccount(accountId);
    const channels = yield* channelsOf(accountId);
    yield* erasingEngine.hold(channels);
    if (!(yield* first(OFF, { accountId }))) return undefined;
    const erasure: Pending = { ...asked, id: newId<string>(), at: clock.now(), of: { channels } };
    yield* beginErasure(sealer, erasure);
    yield* revoke(erasingEngine, tx, erasure);
    yield* erasingEngine.tellOthers();
    yield* closeAccount(tx, { sealer, erasure }, channels);
    yield* oweTraces();
    return erasure;
  }, "lanes");

/** Completes an erasure. Another process may do the same: each deletes what is left. */
async function eraseToEnd({ erasingEngine, sealer, clock, notes = [] }: Parts, erasure: Pending): Promise<Counts> {
  const { of, id } = erasure;
  const run: Run = { erasingEngine, sealer, erasure, now: clock.now, count: (more) => countErased(id, more) };
  if ("channels" in of) await eraseAccount(run, of);
  else await eraseCustomer(run, of, notes);
  return erasingEngine.engine.write(function* (tx): Verb<Counts> {
    const counts = yield* endErasure(id);
    if (counts) yield* audit(tx, erasure, counts, clock.now());
    yield* oweTraces();
    return counts ?? { messages: 0, files: 0, webhooks: 0, notes: 0 };
  });
}

/** Records that an account was erased, not which one. */
function audit(tx: Transaction, { accountId, by, of }: Pending, counts: Counts, now: number): Verb<void> {
  const { messages, files, notes } = counts;
  if ("channels" in of) return writeAudit(tx, now, undefined, by, { messages, files, notes });
  return writeAudit(tx, now, accountId, by, { channel: of.channelId, messages, files, notes });
}

const sumOf = (a: Erased, b: Erased): Erased => ({
  messages: a.messages + b.messages,
  files: a.files + b.files,
  webhooks: a.webhooks + b.webhooks,
  notes: a.notes + b.notes,
  gone: b.gone,
});

const BACKUPS = `SELECT at, detail FROM audit WHERE action IN ('${BACKUP_MADE}', 'backup restored')`;

/** Backups made, and backups restored from, since these exist as well. */
function* recordedBackups(): Verb<KnownBackup[]> {
  const rows = yield* all<{ at: number; detail: string }>(BACKUPS);
  return rows.map(({ at, detail }) => ({ at, file: (JSON.parse(detail) as { file?: string }).file }));
}
