import { join } from "node:path";
import type { Network } from "./network.ts";
import { createProcess, type Ran, type ServerProcess, type Surroundings } from "./process.ts";
import { Cut } from "./weather.ts";

/** The server's machine: its process dies and starts again, its disk stays. */
export interface Machine extends Pick<Surroundings, "disk"> {
  start(): void;
  /** Ends the process as `kill -9` does, if there is one. */
  kill(why: string): void;
  /** Stops the server as SIGTERM does, if it is ready; it then starts again. */
  restart(): void;
  /** Whether it has started. */
  isReady(): boolean;
  /** Number of its starts. */
  lives(): number;
  /** Of its data, as long as it lives. */
  folder(): string;
  /** Runs `gangway <args>` beside the server; undefined if that is down, or ends meanwhile. */
  command(args: string[]): Promise<Ran | undefined>;
  /** What the metrics port answers. */
  metrics(path: string): Promise<Response>;
  /** Moves the wall clock by this much, forward or back. */
  stepClock(ms: number): void;
  /** Frees what the last process holds. */
  end(): void;
  deaths: number;
  /** What the server has logged. */
  lines: string[];
}

interface Parts extends Omit<Surroundings, "wall" | "disk" | "log"> {
  folder: string;
  origin: string;
  /** Unix time of the simulation's beginning, ms. */
  began: number;
}

const DOWN_MS = { least: 200, more: 20_000 };

export function createMachine(parts: Parts): Machine {
  const { time, chance, trace } = parts;
  let [life, step, isOver] = [0, 0, false];
  let running: ServerProcess | undefined;
  const lifetime = createLifetime();
  serve(parts.network, parts.origin, () => running, lifetime);
  const folderOf = (n: number) => join(parts.folder, String(n));
  const machine: Machine = {
    start: () => void launch().catch(parts.failed),
    kill: (why) => running?.kill(why),
    restart: () => void running?.terminate().catch(parts.failed),
    isReady: () => running?.is === "ready",
    lives: () => life,
    folder: () => folderOf(life),
    command: (args) =>
      running?.is === "ready"
        ? lifetime.within(running.command(args)).catch(() => undefined)
        : Promise.resolve(undefined),
    async metrics(path) {
      if (!running) throw new Error("the server is down");
      return running.program.metrics(new Request(`${parts.origin}${path}`), {});
    },
    stepClock(ms) {
      step += ms;
    },
    disk: { full: 0, busy: 0 },
    end() {
      isOver = true;
      running?.kill("over");
    },
    deaths: 0,
    lines: [],
  };
  const around: Surroundings = {
    ...parts,
    disk: machine.disk,
    wall: () => parts.began + time.now() + step,
    log: (line) => void machine.lines.push(line),
  };
  const ended = (how: "killed" | "stopped") => {
    running = undefined;
    if (how === "killed") machine.deaths += 1;
    lifetime.end();
    if (!isOver) time.after(DOWN_MS.least + chance.draw("down") * DOWN_MS.more, machine.start);
  };
  const launch = async () => {
    life += 1;
    trace(`start ${life}`);
    const own = createProcess(around, { n: life, folder: folderOf(life), nextFolder: folderOf(life + 1), ended });
    running = own;
    await own.run().catch((error: unknown) => {
      // A supervisor starts it again.
      const isRefused = (error as Error).name === "StoreError" || (error as { code?: string }).code === "SQLITE_BUSY";
      if (machine.disk.busy === 0 || !isRefused) throw error;
      own.kill("at a start that was refused");
    });
  };
  return machine;
}

type Lifetime = ReturnType<typeof createLifetime>;

/** Whatever a process has begun breaks when it ends. */
function createLifetime() {
  const waiting = new Set<(error: Error) => void>();
  return {
    within: <T>(work: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        waiting.add(reject);
        const end = (act: () => void) => {
          if (waiting.delete(reject)) act();
        };
        work.then(
          (result) => end(() => resolve(result)),
          (error) => end(() => reject(error)),
        );
      }),
    end() {
      for (const reject of waiting) reject(new Cut("perhaps", "ECONNRESET"));
      waiting.clear();
    },
  };
}

/** The running process serves the origin. */
function serve(network: Network, origin: string, current: () => ServerProcess | undefined, { within }: Lifetime): void {
  network.serve(origin, async (request) => {
    const running = current();
    if (!running || running.is === "opening") throw new Cut("no", "ECONNREFUSED");
    return within(Promise.resolve(running.program.fetch(request, {})).then(whole));
  });
}

/** An answer's body is its process's work, too. */
const whole = async ({ status, headers, body }: Response) =>
  new Response(body && new Uint8Array(await new Response(body).arrayBuffer()), { status, headers });
