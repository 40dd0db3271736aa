import type { Lease } from "#product/domain/account";
import type { Store } from "#product/store/store";
import { type PostgresServer, startPostgres } from "../../postgres-server.ts";
import { addBacklog, addBacklogTo } from "../backlog.ts";
import { figureOf, quantile } from "../rounds.ts";
import { connect, freshFolder, open, seed, startFakes } from "../stage.ts";
import { bounded, type Measure, type Scale } from "./figure.ts";

const BACKLOGS = [1_000, 100_000, 1_000_000];
/** Few accounts: even with the smallest backlog each has more lane heads than one claim takes. */
const CROWD = { accounts: 10, channels: 1, chats: 1 };
const SHARE = 8;
const ROUND: Record<Scale, { rounds: number; claims: number }> = {
  quick: { rounds: 4, claims: 50 },
  usual: { rounds: 10, claims: 100 },
  long: { rounds: 15, claims: 200 },
};

interface Depth {
  store: Store;
  leases: Lease[];
  turn: number;
  /** Medians of the rounds, µs. */
  claimUs: number[];
  cpuUs: number[];
}

/** On SQLite, or on PostgreSQL. */
async function openDepth(backlog: number, databaseUrl?: string): Promise<Depth> {
  const folder = freshFolder();
  const fakes = await startFakes();
  if (databaseUrl) await connect(folder, fakes, "http://127.0.0.1", CROWD, undefined, databaseUrl);
  else await seed(folder, fakes, "http://127.0.0.1", CROWD);
  await fakes.child.stop();
  if (databaseUrl) await addBacklogTo(databaseUrl, backlog, CROWD.accounts * CROWD.channels);
  else addBacklog(folder, backlog);
  const store = await open(folder, databaseUrl);
  await store.leases.join({ owner: "bench", ttlMs: 3_600_000 });
  const accounts = await store.accounts.list();
  const taken = await store.leases.take(
    accounts.map(({ id }) => id),
    "bench",
  );
  const leases = taken.map(({ lease }) => lease);
  return { store, leases, turn: 0, claimUs: [], cpuUs: [] };
}

/** Claims for each account in turn and returns the jobs, so that the backlog stays the same. */
async function round(depth: Depth, claims: number): Promise<void> {
  const times: number[] = [];
  const began = process.cpuUsage();
  for (let n = 0; n < claims; n++) {
    depth.turn += 1;
    const lease = depth.leases[depth.turn % depth.leases.length] as Lease;
    const at = performance.now();
    const jobs = await depth.store.outbox.claim(lease, { most: SHARE, free: () => SHARE, take: () => true });
    times.push((performance.now() - at) * 1000);
    if (jobs.length === 0) throw new Error("nothing to claim");
    await Promise.all(jobs.map((job) => depth.store.outbox.postponed(job, 0)));
  }
  const { user, system } = process.cpuUsage(began);
  depth.claimUs.push(quantile(times, 0.5));
  depth.cpuUs.push((user + system) / claims);
}

/** A large backlog must not slow down claiming; wall-clock and CPU time, commits included. */
export const claimCost: Measure = async (scale) => {
  const postgres: PostgresServer[] = [];
  const inPostgres = async (backlog: number) => {
    const server = await startPostgres(["fsync=off"]);
    postgres.push(server);
    return openDepth(backlog, server.url);
  };
  const own = await costOf(scale, (backlog) => openDepth(backlog), { name: "claim", where: "" });
  const theirs = await costOf(scale, inPostgres, { name: "postgres-claim", where: " on PostgreSQL" });
  for (const server of postgres) await server.stop();
  return [...own, ...theirs];
};

async function costOf(scale: Scale, openAt: typeof openDepth, { name, where }: { name: string; where: string }) {
  const { rounds, claims } = ROUND[scale];
  const depths: Depth[] = [];
  for (const backlog of BACKLOGS) depths.push(await openAt(backlog));
  for (const depth of depths) await round(depth, claims);
  for (const depth of depths) depth.claimUs.length = depth.cpuUs.length = 0;
  for (let n = 0; n < rounds; n++) for (const depth of depths) await round(depth, claims);
  for (const { store } of depths) await store.close();
  const [small] = depths as [Depth, ...Depth[]];
  const against = (depth: Depth, key: "claimUs" | "cpuUs") =>
    figureOf(depth[key].map((us, n) => us / (small[key][n] ?? 1)));
  return depths.slice(1).map((depth, n) => {
    const backlog = (BACKLOGS[n + 1] ?? 0).toLocaleString("en");
    const detail = {
      claimUs: figureOf(depth.claimUs),
      claimUsAt1000: figureOf(small.claimUs),
      cpuRatio: against(depth, "cpuUs"),
    };
    return bounded({
      name: `${name}-${BACKLOGS[n + 1]}`,
      what: `a claim${where} with ${backlog} waiting ÷ with 1,000`,
      figure: against(depth, "claimUs"),
      unit: "",
      atMost: 1.5,
      detail,
    });
  });
}
