import { type Server, type ServerOptions, startServer } from "gangway-sandbox/demo/server";
import { freePort } from "../../sandbox/src/ports.ts";
import { type Balancer, balance } from "./balancer.ts";
import { recordOutput } from "./canaries.ts";
import { temporaryFolder } from "./store.ts";
import { until } from "./until.ts";

export interface Fleet extends Server {
  servers: Server[];
  balancer: Balancer;
}

/** Several processes on one database, behind a balancer: to the outside one server. */
export async function startFleet(
  count: number,
  { port: _, dataFolder: __, ...options }: ServerOptions,
): Promise<Fleet> {
  const ports = await Promise.all(Array.from({ length: count }, () => freePort(0)));
  const balancer = await balance(ports);
  const { METRICS_PORT, ...env } = options.env;
  const servers = await Promise.all(
    ports.map(async (port, n) => {
      const dataFolder = temporaryFolder();
      const own: Record<string, string> = n === 0 && METRICS_PORT ? { METRICS_PORT } : {};
      const given = { ...options, port, dataFolder, env: { ...env, ...own }, publicUrl: balancer.origin };
      const server = await startServer(given);
      recordOutput(dataFolder, server.lines);
      return server;
    }),
  );
  const each = async (act: (server: Server) => Promise<void>) => void (await Promise.all(servers.map(act)));
  return {
    servers,
    balancer,
    origin: balancer.origin,
    lines: [],
    kill: (signal) => each((server) => server.kill(signal)).then(signal === "SIGKILL" ? balancer.close : undefined),
    send(signal) {
      for (const server of servers) server.send(signal);
    },
    start: () => each((server) => server.start()),
    launch() {
      for (const server of servers) server.launch();
    },
    ready: () => each((server) => server.ready()),
    ended: async () => (await Promise.all(servers.map((server) => server.ended()))).join("\n"),
  };
}

const stops = (lines: string[]) => lines.filter((line) => line.includes('"server.stopped"')).length;

/** Stops and starts one process after the other, each once the balancer uses the one before again. Throws if one does not end by itself. */
export async function restartEach({ servers, balancer }: Fleet): Promise<void> {
  for (const [n, server] of servers.entries()) {
    const before = stops(server.lines);
    await server.kill("SIGTERM");
    if (stops(server.lines) !== before + 1) throw new Error("a process had to be killed");
    await server.start();
    const answered = balancer.shares()[n];
    await until("requests to the process", () => balancer.shares()[n] !== answered);
  }
}

export const troubles = ({ servers }: Fleet): string[] =>
  servers.flatMap(({ lines }) => lines.filter((line) => /"level":"(warn|error)"/.test(line)));

/** What processes have logged since a moment, Unix time, ms, of accounts that one of them had lost. */
export const lossesSince = ({ servers }: Fleet, since: number): string[] =>
  servers
    .flatMap(({ lines }) => lines.filter((line) => /"lease\.lost"|"lease\.taken".*"fromLost":[1-9]/.test(line)))
    .filter((line) => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? "") >= since);

/** Answers that callers got of the balancer and that are no success, by status. */
export const failuresOf = ({ balancer }: Fleet): string[] =>
  Object.keys(balancer.answers()).filter((status) => !/^[23]/.test(status));
