import { serialByKey } from "gangway-messenger/concurrency";
import { beforeSending, DeliveryError } from "gangway-messenger/errors";
import type { Job } from "../../domain/delivery.ts";
import type { Store } from "../../store/store.ts";
import type { Outside } from "../sessions/sessions.ts";

/** Runs `wait`, during which another party works: a crash then is not blamed on the job. Throws what `wait` throws. */
export type WaitOutside = <T>(wait: () => Promise<T>) => Promise<T>;

/** Runs suspects: our own code on one at a time, marked on disk, so that a crash is attributed to that job. */
interface Quarantine {
  run(job: Job, act: (waitOutside: WaitOutside) => Promise<void>): Promise<void>;
}

export const waitingOutside = ({ call, permits, renewToken }: Outside, waitOutside: WaitOutside): Outside => ({
  call: async (request) => {
    const result = await waitOutside(() => call(request));
    const { stream } = result.type === "answer" ? result : {};
    return stream ? { ...result, stream: waitingBytes(stream, waitOutside) } : result;
  },
  permits: { ...permits, run: (...args) => waitOutside(() => permits.run(...args)) },
  renewToken: (...args) => waitOutside(() => renewToken(...args)),
});

/** Counts the stream as one wait, from its first read to its end. */
function waitingBytes(source: ReadableStream<Uint8Array>, waitOutside: WaitOutside): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const startWait = () =>
    new Promise<void>((resolve, reject) => {
      waitOutside(() => {
        resolve();
        return finished;
      }).catch(reject);
    });
  let started: Promise<void> | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    started ??= startWait();
    await started;
    const { done, value } = await reader.read();
    if (!done) return controller.enqueue(value);
    finish();
    controller.close();
  };
  return new ReadableStream(
    {
      pull: (controller) =>
        pull(controller).catch((error) => {
          finish();
          throw error;
        }),
      cancel: (reason) => {
        finish();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

export function createQuarantine(outbox: Pick<Store["outbox"], "inOwnCode">): Quarantine {
  const acquire = createMutex();
  return {
    async run(job, act) {
      const own = ownCode(outbox, job, acquire);
      try {
        // If the mark cannot be written, run anyway: an unmarked job is not blamed.
        if (await own.enter().catch(() => true)) await act(own.waitOutside);
      } finally {
        await own.end();
      }
    },
  };
}

/** A mutex: resolves with the function that releases it. */
function createMutex(): () => Promise<() => void> {
  const serial = serialByKey<"mutex">();
  return () => new Promise((acquired) => void serial("mutex", () => new Promise<void>((release) => acquired(release))));
}

function ownCode(outbox: Pick<Store["outbox"], "inOwnCode">, job: Job, acquire: () => Promise<() => void>) {
  let release: (() => void) | undefined;
  let [waiting, ended] = [0, false];
  // Serialized: one job's concurrent waits enter and leave in order.
  let lastTransition: Promise<unknown> = Promise.resolve();
  const enter = async (): Promise<boolean> => {
    // After the end nobody would release it.
    if (ended) return false;
    release = await acquire();
    return outbox.inOwnCode(job, true);
  };
  const leave = async () => {
    // Clear the mark before any wait. Nothing has been sent yet, so any failure here is a retry.
    const isOwner = await beforeSending(() => outbox.inOwnCode(job, false)).finally(() => {
      release?.();
      release = undefined;
    });
    if (!isOwner) throw new DeliveryError({ type: "retry" }, "another process has the account");
  };
  const transition = (to: () => Promise<unknown>) => {
    lastTransition = lastTransition.catch(() => {}).then(to);
    return lastTransition;
  };
  const waitOutside: WaitOutside = async (wait) => {
    waiting += 1;
    try {
      await (waiting === 1 ? transition(leave) : lastTransition);
      return await wait();
    } finally {
      waiting -= 1;
      if (waiting === 0) await transition(enter).catch(() => {});
    }
  };
  const end = async () => {
    ended = true;
    await transition(() => outbox.inOwnCode(job, false)).catch(() => {});
    release?.();
  };
  return { enter: () => transition(enter) as Promise<boolean>, waitOutside, end };
}
