import { onTestFinished } from "vitest";
import type { ChannelAdapter } from "../../src/channels/port.ts";
import { REST_MS } from "../../src/domain/delivery.ts";
import { createWorker, type WorkerParts } from "../../src/relay/worker.ts";
import type { HandClock } from "./clock.ts";
import { silentLog } from "./log.ts";

type Given = Pick<WorkerParts, "store" | "perform"> & Partial<WorkerParts> & { clock: HandClock };

/** A worker that runs until the test ends, and its parts, to make another. */
export async function working({ clock, ...given }: Given) {
  const parts: WorkerParts = {
    adapter: () => ({ sendIdempotency: "native" }) as ChannelAdapter,
    clock,
    log: silentLog,
    rest: (id, text) => given.store.accounts.setTrouble(id, { text, restUntil: clock.now() + REST_MS }),
    owner: "test",
    limits: { calls: 64, callsPerAccount: 8 },
    random: () => 0.5,
    ...given,
  };
  const worker = createWorker(parts);
  await worker.start();
  onTestFinished(async () => {
    const stopped = worker.stop(0);
    await clock.forward(1_000);
    await stopped;
  });
  return { worker, parts };
}
