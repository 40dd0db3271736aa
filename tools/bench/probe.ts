import { Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { answer } from "./child.ts";
import { summarised } from "./profile.ts";

// Preloaded into the server, which runs unchanged.

/** Sampling interval of the event loop, ms; an idle loop measures exactly this. */
const LOOK_MS = 5;

export interface Usage {
  rssMiB: number;
  heapMiB: number;
  /** User and system time since the start, ms. */
  cpuMs: number;
}

const lag = monitorEventLoopDelay({ resolution: LOOK_MS });
const session = new Session();

answer({
  usage: (): Usage => {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return { rssMiB: rss / 1048576, heapMiB: heapUsed / 1048576, cpuMs: (user + system) / 1000 };
  },
  watchLag: () => {
    lag.reset();
    lag.enable();
  },
  lag: () => ({ p99: Math.max(0, lag.percentile(99) / 1e6 - LOOK_MS), most: lag.max / 1e6 - LOOK_MS }),
  profile: async () => {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 500 });
    await session.post("Profiler.start");
  },
  profiled: async () => {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    return summarised(profile);
  },
});
