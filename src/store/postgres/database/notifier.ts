import { newSecret } from "gangway-messenger/ids";
import { cutText } from "gangway-messenger/text";
import type { Pool, PoolClient } from "pg";

// Processes notify each other of changes. What the holder of a lease must know at once goes with the commit; the rest
// follows it, because PostgreSQL makes commits that notify wait for each other, also while they reach the disk.

const WORK = "gangway";
const CHANGED = "gangway_changed";
const JOURNAL = "gangway_journal";
const JOINED = "gangway_joined";
const ERASED = "gangway_erased";
const RETRY_MS = 1_000;
/** Minimum time between two notifying statements, ms. */
const GAP_MS = 50;
/** A connection that has not answered for so long is lost, ms. */
const SILENCE_MS = 5_000;
/** Accounts per message, which has at most 8000 bytes. */
const MAX_ACCOUNTS = 100;
const NOTIFY = `SELECT pg_notify(name, payload) FROM json_to_recordset(CAST($1 AS json)) AS told (name text, payload text)`;

/** Runs in the transaction that begins an erasure. */
export const NOTIFY_ERASED = `SELECT pg_notify('${ERASED}', '')`;

/** A chat whose journal has grown. */
type Appended = [channelId: string, chat: string];
type Hear<T> = (what: T[] | undefined) => void;

export interface Notifier {
  /** Statements that notify the holders of these accounts of new work. */
  statements(accountIds: Iterable<string>): [string, Record<string, unknown>][];
  /** Call after a commit that changed what pages of this account show. */
  changed(accountId: string): void;
  /** Call after a commit that appended to the journals of these chats. */
  appended(channelId: string, chats: Iterable<string>): void;
  /**
   * Changes with every change of the account by any process, and is the same in all processes, except while a notice is
   * on its way. No I/O.
   */
  version(accountId: string): string;
  /** Hears of accounts for which other processes have added work; undefined: perhaps any. */
  onWork(hear: Hear<string>): void;
  /** Hears of accounts whose rows or channels have changed, also by this process; undefined: perhaps any. */
  onRows(hear: Hear<string>): void;
  /** Whether this process hears every change: the connection is open, and answered a moment ago. */
  isHearing(): boolean;
  /** The listening connection. Once it answers a statement, what was committed before has been heard. */
  session(): PoolClient | undefined;
  /** Hears of journals to which other processes have appended; undefined: perhaps any. */
  onAppended(hear: Hear<Appended>): void;
  /** Hears that an erasure has begun, or may have. */
  onErased(hear: () => void): void;
  close(): Promise<void>;
}

export function createNotifier(pool: Pool): Notifier {
  const own = newSecret().slice(0, 12);
  const [work, rows] = [createListeners<string>(), createListeners<string>()];
  const appended = createListeners<Appended>();
  const erased = createListeners<never>();
  const versions = createVersions(own);
  const hear: Record<string, (payload: string) => void> = {
    [WORK](payload) {
      const [from, ...accountIds] = payload.split(" ");
      // A notice that names no process comes from a trigger: rows have changed.
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
      // Notices may have been lost in both directions: the versions of all processes begin anew.
      await client.query(NOTIFY, [JSON.stringify([{ name: JOINED, payload: newSecret() }])]);
      for (const each of [work, rows, appended, erased]) each.tell(undefined);
    },
  });
  const pending = createPendingNotices(own, connection.client);
  return {
    statements(accountIds) {
      const told = (names: string[]) => ({ told: [own, ...names].join(" ") });
      return slices([...accountIds]).map((names) => [`SELECT pg_notify('${WORK}', @told)`, told(names)]);
    },
    changed: pending.account,
    appended: pending.chats,
    version: versions.of,
    onWork: work.add,
    onRows: rows.add,
    isHearing: connection.isHearing,
    session: () => (connection.isHearing() ? connection.client() : undefined),
    onAppended: appended.add,
    onErased: erased.add,
    async close() {
      await pending.end();
      connection.close();
    },
  };
}

function createListeners<T>() {
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

/** All processes hear the same messages in the same order: each counts those of an account since the last one joined. */
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

/** Pending notices: one statement sends what gathers while the last one is answered. */
function createPendingNotices(own: string, clientNow: () => PoolClient | undefined) {
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
      // Without a connection nothing is sent: a new one tells that anything may have changed.
      await clientNow()
        ?.query(NOTIFY, [JSON.stringify(told)])
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

interface Listener {
  heard(channel: string, payload: string): void;
  joined(client: PoolClient): Promise<void>;
}

/** Keeps one listening connection, and replaces it when it is lost. */
function keepConnected(pool: Pool, { heard, joined }: Listener) {
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
    // The lost connection may report its end long after it was replaced.
    lost?.removeListener("end", again);
    lost?.release(true);
    if (closed || isWaiting) return;
    isWaiting = true;
    setTimeout(() => void connect(), RETRY_MS).unref();
  };
  // A connection may end without a word.
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
