import type { Lease } from "#product/domain/account";
import type { Store } from "#product/store/store";
import { addBacklog } from "../backlog.ts";
import { figureOf, quantile } from "../rounds.ts";
import { freshFolder, open, seed, startFakes } from "../stage.ts";
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

async function openDepth(backlog: number): Promise<Depth> {
  const folder = freshFolder();
  const fakes = await startFakes();
  await seed(folder, fakes, "http://127.0.0.1", CROWD);
  await fakes.child.stop();
  addBacklog(folder, backlog);
  const store = await open(folder);
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
  const { rounds, claims } = ROUND[scale];
  const depths: Depth[] = [];
  for (const backlog of BACKLOGS) depths.push(await openDepth(backlog));
  for (const depth of depths) await round(depth, claims);
  for (const depth of depths) depth.claimUs.length = depth.cpuUs.length = 0;
  for (let n = 0; n < rounds; n++) for (const depth of depths) await round(depth, claims);
  for (const { store } of depths) store.close();
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
      name: `claim-${BACKLOGS[n + 1]}`,
      what: `a claim with ${backlog} waiting ÷ with 1,000`,
      figure: against(depth, "claimUs"),
      unit: "",
      atMost: 1.5,
      detail,
    });
  });
};
