import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { serialByKey } from "../../domain/concurrency.ts";
import { type AccountId, type ChannelId, newId } from "../../domain/ids.ts";
import type { ExpiringNotes } from "../care.ts";
import { ASIDE } from "../disk/folder.ts";
import type { Erased, ErasureStore, KnownBackup } from "../erasure.ts";
import type { Sealer } from "../secrets.ts";
import type { Database } from "../sqlite/database/db.ts";
import type { Counts, Pending } from "../sqlite/database/erasing.ts";
import {
  oweRewrite,
  owesRewrite,
  type Rewrite,
  rewriteHere,
  rewriteInThread,
  rewriteNow,
} from "../sqlite/database/traces.ts";
import { channelsIn, sqliteEngine, writeAudit } from "../sqlite/tables/engine.ts";
import { type Belongings, belongingsOf, findPeople } from "../tables/people.ts";
import { closeAccount, eraseAccount } from "./erasing/account.ts";
import { type Run, smallCheckpoints } from "./erasing/batches.ts";
import { eraseCustomer } from "./erasing/customer.ts";
import { eraseParked } from "./erasing/parked.ts";
import { addRequest, endRequest, pendingRequests, peopleOf, requestState } from "./erasing/requests.ts";
import { namedBy } from "./erasing/webhooks.ts";

interface Parts {
  db: Database;
  /** Must not feed the log's mask: raw webhooks are customers' text, not secrets. */
  sealer: Sealer;
  clock: Clock;
  folder: string;
  expiring?: ExpiringNotes[];
  threads?: boolean;
}

/** Parked for logins of a kind that no channel has. */
const STRANGERS_OF = "channel_id IS NULL AND substr(login, 1, length(@login)) = @login";

export function erasureStore(parts: Parts): ErasureStore {
  const { db, clock, folder } = parts;
  const removeTraces = tracesRemover(db, parts.threads ? rewriteInThread : rewriteHere);
  const running = new Map<string, Promise<Counts>>();
  const inSmallSteps = smallCheckpoints(db);
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  // Another process may have begun one, or ended it already. Later: within a transaction nobody may read.
  db.others.onWritten(() => void setImmediate(() => db.sqlite.open && notify()));
  const finish = async (erasure: Pending): Promise<Erased> => {
    const run = running.get(erasure.id) ?? inSmallSteps(() => toTheEnd(parts, erasure));
    running.set(erasure.id, run);
    const counts = await run.finally(() => running.delete(erasure.id));
    return { ...counts, gone: await removeTraces() };
  };
  const begin = async (erasure: Pending | undefined) => {
    if (erasure) notify();
    return erasure && finish(erasure);
  };
  const interrupted = (is: (erasure: Pending) => boolean) => db.erasing.pending().find(is);
  const customer: ErasureStore["customer"] = async (accountId, person, by) => {
    const known = interrupted(
      ({ of }) => "chats" in of && of.channelId === person.channelId && of.chats.includes(person.chat),
    );
    const before = known && known.accountId === accountId ? await finish(known) : undefined;
    const theirs = await belongingsOf(sqliteEngine(db), accountId, person);
    const erased = theirs && (await begin(await beginCustomer(db, { accountId, by, at: clock.now() }, theirs)));
    return erased && before ? sumOf(before, erased) : (erased ?? before);
  };
  const { sealer } = parts;
  const oneByOne = serialByKey<"requests">();
  return {
    ask: (kind, customer, proof) => addRequest(db, sealer, { kind, customer, proof, now: clock.now() }),
    asked: async (code) => requestState(db, code),
    fulfil: (by) =>
      oneByOne("requests", async () => {
        const done: Erased[] = [];
        for (const asked of pendingRequests(db, sealer)) {
          for (const { accountId, person } of await peopleOf(db, asked)) {
            const erased = await customer(accountId, person, by);
            if (erased) done.push(erased);
          }
          const strangers = { db, sealer, count() {} };
          await eraseParked(strangers, STRANGERS_OF, { login: `${asked.kind}:` }, namedBy([asked.customer]));
          await endRequest(db, asked, clock.now());
          await removeTraces();
        }
        return done;
      }),
    find: (accountId, text) => findPeople(sqliteEngine(db), accountId, text),
    customer,
    async account(accountId, by) {
      const known = interrupted((erasure) => "channels" in erasure.of && erasure.accountId === accountId);
      return known ? finish(known) : begin(await beginAccount(db, { accountId, by, at: clock.now() }));
    },
    async resume(minAgeMs = 0) {
      const all = db.erasing.pending().filter(({ at }) => clock.now() - at >= minAgeMs);
      const done: Erased[] = [];
      for (const erasure of all) done.push(await finish(erasure));
      return done;
    },
    onErased: (listener) => void listeners.push(listener),
    goneChannels: () => db.tombstones.gone() as ChannelId[],
    removeTraces,
    backups: async () => [...recordedBackups(db), ...asideIn(folder)].sort((a, b) => b.at - a.at),
  };
}

/** One at a time. Only the process that watches the files may shrink them. */
function tracesRemover(db: Database, rewrite: Rewrite): () => Promise<boolean> {
  const { databaseFiles } = db;
  if (!databaseFiles) return async () => !owesRewrite(db.sqlite);
  const oneByOne = serialByKey<"file">();
  return () => oneByOne("file", () => rewriteNow({ ...db, databaseFiles }, rewrite));
}

type Asked = Pick<Pending, "by" | "at"> & { accountId: AccountId };
const last = ({ sqlite }: Database, table: string, key: string): number =>
  sqlite.prepare(`SELECT coalesce(max(${key}), 0) FROM ${table}`).pluck().get() as number;

/** After this commit nothing of theirs is sent, and what is under way stores nothing. */
const beginCustomer = (db: Database, asked: Asked, theirs: Belongings): Promise<Pending> =>
  db.write(() => {
    const { channelId, chats, customer } = theirs;
    const upTo = { message: last(db, "message", "id"), line: last(db, "journal", "position") };
    const erasure = { ...asked, id: newId<string>(), of: { ...theirs, upTo } };
    db.erasing.begin(erasure);
    db.tombstones.buryNames(channelId, customer === undefined ? chats : [...chats, customer], asked.at);
    const forget = db.sqlite.prepare("DELETE FROM chat WHERE channel_id = ? AND chat = ?");
    for (const chat of chats) forget.run(channelId, chat);
    db.chats.clear();
    db.onUndo(() => db.chats.clear());
    oweRewrite(db.sqlite);
    return erasure;
  });

/** Undefined when it works. */
const beginAccount = (db: Database, asked: Asked): Promise<Pending | undefined> =>
  db.write(() => {
    const { accountId, at } = asked;
    const off = db.sqlite.prepare("SELECT 1 FROM account WHERE id = ? AND active = 0").get(accountId);
    if (!off) return undefined;
    const channels = channelsIn(db, accountId);
    const erasure = { ...asked, id: newId<string>(), of: { channels } };
    db.erasing.begin(erasure);
    closeAccount(db, accountId, channels, at);
    db.chats.clear();
    db.onUndo(() => db.chats.clear());
    oweRewrite(db.sqlite);
    return erasure;
  });

/** The rest of an erasure that has begun. Another process may do the same: each deletes what is left. */
async function toTheEnd({ db, sealer, clock, folder, expiring = [] }: Parts, erasure: Pending): Promise<Counts> {
  const count: Run["count"] = (more) => db.erasing.count(erasure.id, more);
  const run: Run = { db, sealer, folder, erasure, now: clock.now, count };
  const { of, id } = erasure;
  if ("channels" in of) await eraseAccount(run, of);
  else await eraseCustomer(run, of, expiring);
  return db.write(() => {
    const counts = db.erasing.end(id);
    if (counts) audit(db, erasure, counts, clock.now());
    oweRewrite(db.sqlite);
    return counts ?? { messages: 0, files: 0, webhooks: 0, notes: 0 };
  });
}

/** It keeps that an account was erased, not which. */
function audit(db: Database, { accountId, by, of }: Pending, counts: Counts, now: number): void {
  const { messages, files, notes } = counts;
  if ("channels" in of) writeAudit(db, now, undefined, by, { messages, files, notes });
  else writeAudit(db, now, accountId, by, { channel: of.channelId, messages, files, notes });
}

const sumOf = (a: Erased, b: Erased): Erased => ({
  messages: a.messages + b.messages,
  files: a.files + b.files,
  webhooks: a.webhooks + b.webhooks,
  notes: a.notes + b.notes,
  gone: b.gone,
});

/** Backups that were made, and those that were restored: they exist, too. */
const recordedBackups = ({ sqlite }: Database): KnownBackup[] =>
  sqlite
    .prepare<[], KnownBackup>(
      `SELECT at, detail ->> 'file' AS file FROM audit WHERE action IN ('backup made', 'backup restored')`,
    )
    .all()
    .map(({ at, file }) => ({ at, file: file ?? undefined }));

/** What a restore has put aside. */
const asideIn = (folder: string): KnownBackup[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(ASIDE))
    .map((name) => ({ file: join(folder, name), at: statSync(join(folder, name)).mtimeMs }));
