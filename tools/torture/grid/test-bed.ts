import { freePort, type RunningSandbox, serveSandbox } from "gangway-sandbox";
import { type Server, startServer } from "gangway-sandbox/demo/server";
import type { Patch } from "../copy.ts";
import type { TrialContext } from "../trial.ts";
import { watchLedger } from "./ledger-watch.ts";
import { openStation, type SharedParts, type Station } from "./station.ts";

/** A server, the emulated messenger, and any number of accounts. */
export interface TestBed extends SharedParts {
  process: Server;
  /** The server's data folder. */
  folder: string;
  stations: Station[];
  /** Adds an account; its bot polls or has a webhook. */
  open(polls?: boolean): Promise<Station>;
  close(): Promise<void>;
}

export async function openTestBed(
  context: TrialContext,
  env: Record<string, string> = {},
  patches: Patch[] = [],
): Promise<TestBed> {
  const network: RunningSandbox = await serveSandbox({ port: 0 });
  const metricsPort = await freePort(0);
  const messenger = `${network.origin}/telegram`;
  const folder = context.folder();
  const process = await startServer({
    port: await freePort(0),
    dataFolder: folder,
    main: context.program(patches),
    env: {
      ...context.env,
      ...(await context.newDatabase()),
      TELEGRAM_API_URL: messenger,
      METRICS_PORT: String(metricsPort),
      TRUSTED_PROXIES: "1",
      OUTBOUND_PATIENCE_SECONDS: "600",
      ...env,
    },
  });
  const ledger = watchLedger(metricsPort);
  const shared = { server: process.origin, telegram: network.sandbox.telegram, messenger, ledger };
  const stations: Station[] = [];
  let opened = 0;
  const open = async (polls = false) => {
    opened += 1;
    const station = await openStation(shared, opened, polls);
    stations.push(station);
    return station;
  };
  const close = async () => {
    ledger.stop();
    await process.kill("SIGKILL");
    for (const { crm } of stations) await crm.close();
    await network.close();
  };
  return { ...shared, process, folder, stations, open, close };
}
