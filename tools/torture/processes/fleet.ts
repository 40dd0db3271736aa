import { freePort } from "gangway-sandbox";
import { type Server, type ServerOptions, startServer } from "gangway-sandbox/demo/server";
import { createLink, type Link } from "./link.ts";

/** Log lines shown of a process that ended by itself. */
const SHOWN_LINES = 5;

/** One of the processes that share a database. */
export interface Member extends Server {
  name: string;
  /** Its way to PostgreSQL. */
  link: Link;
  /** How it has ended by itself, each time; it was started again. */
  ends(): string[];
}

/** Several processes on one database behind one door, which gives each new connection to one of those that live. */
export interface Fleet extends Server {
  members: Member[];
  door: Link;
  /** Whether the door sends anything to this process. */
  admit(member: Member, admitted: boolean): void;
}

export interface FleetOptions extends ServerOptions {
  size: number;
  /** Of the database on a port that may change, such as at a failover. */
  database: { url(port: number): string; port(): number };
  random(): number;
  folder(): string;
  /** More settings of one process, such as its clock. */
  own?(n: number): Record<string, string>;
  /** Once the first process has made the tables. */
  prepared(): Promise<void>;
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { port, random } = options;
  const door = await createLink(port);
  const origin = `http://127.0.0.1:${port}`;
  const members: Member[] = [];
  const refused = new Set<Member>();
  door.target(() => {
    const open = members.filter((member) => !refused.has(member));
    return portOf(open[Math.floor(random() * open.length)]);
  });
  const each = async (act: (member: Member) => Promise<void>) => void (await Promise.all(members.map(act)));
  const close = async () => {
    await each(async (member) => {
      await member.kill("SIGKILL");
      await member.link.close();
    });
    await door.close();
  };
  try {
    for (let n = 0; n < options.size; n++) {
      members.push(await startMember(options, n, origin));
      if (n === 0) await options.prepared();
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ origin, members, door },
    admit: (member, admitted) => void (admitted ? refused.delete(member) : refused.add(member)),
    kill: close,
    send: (signal) => {
      for (const member of members) member.send(signal);
    },
    start: () => each((member) => member.start()),
    launch: () => {
      for (const member of members) member.launch();
    },
    ready: () => each((member) => member.ready()),
    ended: async () => (await Promise.all(members.map((member) => member.ended()))).join("\n"),
    get lines() {
      return members.flatMap(({ lines }) => lines);
    },
  };
}

const portOf = (member?: Member) => (member ? Number(new URL(member.origin).port) : undefined);

async function startMember(options: FleetOptions, n: number, origin: string): Promise<Member> {
  const link = await createLink();
  link.target(options.database.port);
  const name = `p${n}`;
  // All may have one setting that must differ: the port of the figures.
  const figures: Record<string, string> = n === 0 ? {} : { METRICS_PORT: String(await freePort(0)) };
  const url = `${options.database.url(link.port)}?application_name=${name}`;
  const env = { ...options.env, ...figures, ...options.own?.(n), DATABASE_URL: url };
  try {
    const port = await freePort(0);
    const server = await startServer({
      ...options,
      port,
      dataFolder: options.folder(),
      env,
      publicUrl: options.publicUrl ?? origin,
    });
    return { ...revived(server), name, link };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** Starts it again when it has ended by itself. */
function revived(server: Server) {
  let killed = false;
  const ends: string[] = [];
  const watch = () =>
    void server.ended().then((how) => {
      if (killed) return;
      ends.push([how, ...server.lines.slice(-SHOWN_LINES)].join("\n  "));
      void server.start().then(watch, () => undefined);
    });
  watch();
  return {
    ...server,
    ends: () => ends,
    kill(signal: "SIGKILL" | "SIGTERM") {
      killed = true;
      return server.kill(signal);
    },
    async start() {
      await server.start();
      killed = false;
      watch();
    },
  };
}
