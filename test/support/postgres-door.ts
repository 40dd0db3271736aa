import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const socketIn = (folder: string | null) => join(folder ?? "", ".s.PGSQL.5432");

/** A door between a program and its database. */
export interface PostgresDoor {
  /** Of the database by this door. */
  url: string;
  /** Counts how often the program waits for an answer. */
  during<T>(work: () => Promise<T>): Promise<{ value: T; trips: number }>;
  /** The next answer that holds these words does not arrive: the connection ends. Resolves when it has. */
  loses(words: string): Promise<void>;
  /** From its next statement with these words on, a connection stands still, as of a stopped process. Resolves when it does. */
  stops(words: string): Promise<void>;
  /** Ends all connections and takes none, as when the server is stopped; then the way back. */
  shut(): Promise<() => Promise<void>>;
  /** Instead of the next answer with these words comes that the disk of the server's log is full, by which it ends. */
  ends(words: string): Promise<void>;
}

const message = (kind: string, body: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(body) + 4);
  return Buffer.concat([Buffer.from(kind), length, Buffer.from(body)]);
};
const FIELDS = [
  "SPANIC",
  "VPANIC",
  "C53100",
  'Mcould not write to file "pg_wal/xlogtemp.1": No space left on device',
  "",
];
const PANIC = message("E", FIELDS.map((field) => `${field}\0`).join(""));

export async function doorTo(url: string): Promise<PostgresDoor> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-door-"));
  let trips = 0;
  const clients = new Set<Socket>();
  let losing: { words: string; lost(): void; last?: Buffer } | undefined;
  let stopping: { words: string; stopped(): void } | undefined;
  const door = createServer((client) => {
    clients.add(client);
    client.on("close", () => clients.delete(client));
    const server = connect(socketIn(new URL(url.replace("@/", "@door/")).searchParams.get("host")));
    let [asks, tells, isStopped] = [false, false, false];
    client.on("data", (bytes) => {
      if (stopping && bytes.includes(stopping.words)) {
        isStopped = true;
        stopping.stopped();
        stopping = undefined;
      }
      if (isStopped) return;
      // Nobody waits for what the connection that hears of others' changes tells them.
      tells ||= bytes.includes("LISTEN");
      asks = !tells;
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (asks) trips += 1;
      asks = false;
      if (!losing || !bytes.includes(losing.words)) return client.write(bytes);
      const { lost, last } = losing;
      losing = undefined;
      lost();
      return last ? client.end(last) : client.destroy();
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  const open = () => new Promise<void>((resolve) => door.listen(socketIn(folder), resolve));
  await open();
  onTestFinished(() => {
    door.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: url.replace(/host=.*$/, `host=${folder}`),
    async during(work) {
      const before = trips;
      return { value: await work(), trips: trips - before };
    },
    loses: (words) =>
      new Promise((lost) => {
        losing = { words, lost };
      }),
    stops: (words) =>
      new Promise((stopped) => {
        stopping = { words, stopped };
      }),
    async shut() {
      const closed = new Promise((resolve) => door.close(resolve));
      for (const client of clients) client.destroy();
      await closed;
      return open;
    },
    ends: (words) =>
      new Promise((lost) => {
        losing = { words, lost, last: PANIC };
      }),
  };
}
