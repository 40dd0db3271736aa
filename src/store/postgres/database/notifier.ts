import { newSecret } from "gangway-messenger/ids";
import { cutText } from "gangway-messenger/text";
import type { Pool, PoolClient } from "pg";

// Processes notify each other of changes. What the holder of a lease must know at once is sent within the commit; the
// rest right after it, since PostgreSQL serializes commits that notify, including their sync.

const WORK = "gangway";
const CHANGED = "gangway_changed";
const JOURNAL = "gangway_journal";
const JOINED = "gangway_joined";
const ERASED = "gangway_erased";
const RETRY_MS = 1_000;
/** Minimum interval between notifying statements, ms. */
const GAP_MS = 50;
/** A connection silent for this long is lost, ms. */
const SILENCE_MS = 5_000;
/** A message has at most 8000 bytes. */
const MAX_ACCOUNTS = 100;
const TELL = `SELECT pg_notify(name, payload) FROM json_to_recordset(CAST($1 AS json)) AS told (name text, payload text)`;

/** Sent within the commit that begins an erasure. */
export const TELL_ERASED = `SELECT pg_notify('${ERASED}', '')`;

/** A chat whose journal has grown. */
type Appended = [channelId: string, chat: string];
type Hear<T> = (what: T[] | undefined) => void;

export interface Notifier {
  /** Statements that notify the holders of these accounts of new work. */
  statements(accountIds: Iterable<string>): [string, Record<string, unknown>][];
  /** Call after a commit: the account's pages have changed. */
  changed(accountId: string): void;
  /** After a commit. */
  appended(channelId: string, chats: Iterable<string>): void;
  /** Changes with each change of the account. Equal in all processes, except while a notice is in transit. No I/O. */
  version(accountId: string): string;
  /** Other processes have added work for these accounts; undefined: possibly for any. */
  onWork(hear: Hear<string>): void;
  /** Any process has changed rows of these accounts or their channels; undefined: possibly of any account. */
  onRows(hear: Hear<string>): void;
  /** Whether this process hears every change: the connection is open and has answered just now. */
  isHearing(): boolean;
  /** The listening connection. When it answers a statement, all earlier commits have been heard. */
  session(): PoolClient | undefined;
  /** Other processes have appended to these journals; undefined: possibly to any. */
  onAppended(hear: Hear<Appended>): void;
  /** An erasure has, or may have, begun. */
  onErased(hear: () => void): void;
  close(): Promise<void>;
}

export function createNotifier(pool: Pool): Notifier {
  const own = newSecret().slice(0, 12);
  const [work, rows] = [hearers<string>(), hearers<string>()];
  const appended = hearers<Appended>();
  const erased = hearers<never>();
  const versions = createVersions(own);
  const hear: Record<string, (payload: string) => void> = {
    [WORK](payload) {
      const [from, ...accountIds] = payload.split(" ");
      // Notices from triggers name no process.
      if (from !== "") return from === own ? undefined : work.tell(accountIds);
      rows.tell(accountIds);
      versions.count(accountIds);
    },
    [CHANGED]: (payload) => versions.count(payload.split(" ")),
    [JOURNAL](payload) {
      const { from, to } = JSON.parse(payload) as { from: string; to: Appended };
      if (from !== own) appended.tell([to]);
    },
    [JOINED]: versions.begin,
    [ERASED]: () => erased.tell(undefined),
  };
  const connection = keepConnected(pool, {
    heard: (channel, payload) => hear[channel]?.(payload),
    async joined(client) {
      for (const channel of Object.keys(hear)) await client.query(`LISTEN ${channel}`);
      // Notices may have been lost in either direction: restart the versions of all processes.
      await client.query(TELL, [JSON.stringify([{ name: JOINED, payload: newSecret() }])]);
      for (const each of [work, rows, appended, erased]) each.tell(undefined);
    },
  });
  const untold = createUntold(own, connection.client);
  return {
    statements(accountIds) {
      const told = (names: string[]) => ({ told: [own, ...names].join(" ") });
      return slices([...accountIds]).map((names) => [`SELECT pg_notify('${WORK}', @told)`, told(names)]);
    },
    changed: untold.account,
    appended: untold.chats,
    version: versions.of,
    onWork: work.add,
    onRows: rows.add,
    isHearing: connection.isHearing,
    session: () => (connection.isHearing() ? connection.client() : undefined),
    onAppended: appended.add,
    onErased: erased.add,
    async close() {
      await untold.end();
      connection.close();
    },
  };
}

function hearers<T>() {
  const all: Hear<T>[] = [];
  return {
    add: (hear: Hear<T>) => void all.push(hear),
    tell(what: T[] | undefined) {
      for (const hear of all) hear(what);
    },
  };
}

const slices = (names: string[]): string[][] =>
  Array.from({ length: Math.ceil(names.length / MAX_ACCOUNTS) }, (_, n) =>
    names.slice(n * MAX_ACCOUNTS, (n + 1) * MAX_ACCOUNTS),
  );

/** All processes hear the same notices in the same order: each counts an account's notices since the last join. */
function createVersions(first: string) {
  const counts = new Map<string, number>();
  let era = first;
  return {
    begin(name: string) {
      era = cutText(name, 12);
      counts.clear();
    },
    count(accountIds: string[]) {
      for (const id of accountIds) counts.set(id, (counts.get(id) ?? 0) + 1);
    },
    of: (accountId: string) => `${era}-${counts.get(accountId) ?? 0}`,
  };
}

/** Pending notices: those that gather while a statement is answered leave with the next. */
function createUntold(own: string, clientNow: () => PoolClient | undefined) {
  const accounts = new Set<string>();
  const chats = new Map<string, Appended>();
  let notifier: Promise<void> | undefined;
  let ended = false;
  const tellAll = async () => {
    while (accounts.size + chats.size > 0) {
      const told = [
        ...slices([...accounts]).map((names) => ({ name: CHANGED, payload: names.join(" ") })),
        ...[...chats.values()].map((to) => ({ name: JOURNAL, payload: JSON.stringify({ from: own, to }) })),
      ];
      accounts.clear();
      chats.clear();
      // Without a connection, the next one announces that anything may have changed.
      await clientNow()
        ?.query(TELL, [JSON.stringify(told)])
        .catch(() => undefined);
      if (!ended) await new Promise((resolve) => setTimeout(resolve, GAP_MS).unref());
    }
    notifier = undefined;
  };
  const tell = () => {
    notifier ??= tellAll();
  };
  return {
    account(accountId: string) {
      accounts.add(accountId);
      tell();
    },
    chats(channelId: string, names: Iterable<string>) {
      for (const chat of names) chats.set(`${channelId}/${chat}`, [channelId, chat]);
      tell();
    },
    async end() {
      ended = true;
      await notifier;
    },
  };
}

interface Ear {
  heard(channel: string, payload: string): void;
  joined(client: PoolClient): Promise<void>;
}

/** One connection, replaced when it is lost. */
function keepConnected(pool: Pool, { heard, joined }: Ear) {
  let client: PoolClient | undefined;
  let closed = false;
  let asked = false;
  let isWaiting = false;
  let isHearing = false;
  const connect = async () => {
    isWaiting = false;
    try {
      const connected = await pool.connect();
      if (closed) return connected.release();
      client = connected;
      client.on("notification", ({ channel, payload = "" }) => heard(channel, payload));
      client.once("end", again);
      await joined(client);
      isHearing = client === connected;
    } catch {
      again();
    }
  };
  const again = () => {
    const lost = client;
    client = undefined;
    isHearing = false;
    asked = false;
    lost?.removeAllListeners("notification");
    // It may end long after its replacement has connected.
    lost?.removeListener("end", again);
    lost?.release(true);
    if (closed || isWaiting) return;
    isWaiting = true;
    setTimeout(() => void connect(), RETRY_MS).unref();
  };
  // A connection may die silently.
  const beat = setInterval(() => {
    if (asked) return again();
    if (!client) return;
    asked = true;
    void client.query("SELECT").then(
      () => {
        asked = false;
      },
      () => undefined,
    );
  }, SILENCE_MS).unref();
  void connect();
  return {
    client: () => client,
    isHearing: () => isHearing,
    close() {
      closed = true;
      isHearing = false;
      clearInterval(beat);
      client?.removeAllListeners("end");
      client?.release(true);
      client = undefined;
    },
  };
}
