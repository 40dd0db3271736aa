import type { HeapProfiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import Sqlite from "better-sqlite3";
import { answer, cpuMs } from "./child.ts";
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
const SAMPLE_BYTES = 16_384;
let statements = 0;

/** Counts every run of a prepared statement from now on. Slows the process: time nothing after it. */
function countStatements(): void {
  const db = new Sqlite(":memory:");
  const prototype = Object.getPrototypeOf(db.prepare("SELECT 1"));
  db.close();
  for (const name of ["run", "get", "all", "iterate"]) {
    const run = prototype[name];
    prototype[name] = function (...params: unknown[]) {
      statements += 1;
      return run.apply(this, params);
    };
  }
}

const sizeOf = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize);

answer({
  usage: (): Usage => {
    const { rss, heapUsed } = process.memoryUsage();
    return { rssMiB: rss / 1048576, heapMiB: heapUsed / 1048576, cpuMs: cpuMs() };
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
  countStatements,
  statements: () => statements,
  /** Samples allocations, those already collected included; V8 scales each sample to the bytes it stands for. */
  sampleHeap: async () => {
    session.connect();
    await session.post("HeapProfiler.startSampling", {
      samplingInterval: SAMPLE_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    } as HeapProfiler.StartSamplingParameterType);
  },
  sampledBytes: async () => {
    const { profile } = await session.post("HeapProfiler.stopSampling");
    session.disconnect();
    return sizeOf(profile.head);
  },
});
