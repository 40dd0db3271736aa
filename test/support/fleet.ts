import { type Server, type ServerOptions, startServer } from "gangway-sandbox/demo/server";
import { freePort } from "../../sandbox/src/ports.ts";
import { type Balancer, balance } from "./balancer.ts";
import { recordOutput } from "./canaries.ts";
import { temporaryFolder } from "./store.ts";

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
    ended: () => each((server) => server.ended()),
  };
}
