import { before, DeliveryError, type Job } from "../../domain/delivery.ts";
import type { Store } from "../../store/store.ts";
import type { Outside } from "../sessions/gateways.ts";

/** Runs `wait`, which waits for somebody else: a crash meanwhile is not the message's fault. Throws what `wait` throws. */
export type Excuse = <T>(wait: () => Promise<T>) => Promise<T>;

/** Runs suspects. Our own code runs on one of them at a time, and the disk says on which: a crash then is that message's. */
export interface Quarantine {
  run(job: Job, act: (excuse: Excuse) => Promise<void>): Promise<void>;
}

export const excused = ({ call, permits, renewToken }: Outside, excuse: Excuse): Outside => ({
  call: async (request) => {
    const result = await excuse(() => call(request));
    const { stream } = result.type === "answer" ? result : {};
    return stream ? { ...result, stream: excusedBytes(stream, excuse) } : result;
  },
  permits: { ...permits, run: (...asked) => excuse(() => permits.run(...asked)) },
  renewToken: (...asked) => excuse(() => renewToken(...asked)),
});

/** They are waited for, too: from the first that is asked for to the last. */
function excusedBytes(source: ReadableStream<Uint8Array>, excuse: Excuse): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let over = () => {};
  const waits = () =>
    new Promise<void>((resolve, reject) => {
      const lasts = new Promise<void>((end) => {
        over = end;
      });
      excuse(() => {
        resolve();
        return lasts;
      }).catch(reject);
    });
  let begun: Promise<void> | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    begun ??= waits();
    await begun;
    const { done, value } = await reader.read();
    if (!done) return controller.enqueue(value);
    over();
    controller.close();
  };
  return new ReadableStream(
    {
      pull: (controller) =>
        pull(controller).catch((error) => {
          over();
          throw error;
        }),
      cancel: (reason) => {
        over();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

export function createQuarantine(outbox: Pick<Store["outbox"], "inOwnCode">): Quarantine {
  const nextTurn = turns();
  return {
    async run(job, act) {
      const own = ownCode(outbox, job, nextTurn);
      try {
        // A mark that cannot be written accuses nobody.
        if (await own.enter().catch(() => true)) await act(own.excuse);
      } finally {
        await own.end();
      }
    },
  };
}

/** Hands out turns one after another; each lasts until its holder ends it. */
function turns(): () => Promise<() => void> {
  let last = Promise.resolve();
  return async () => {
    const before = last;
    let end = () => {};
    last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  };
}

function ownCode(outbox: Pick<Store["outbox"], "inOwnCode">, job: Job, nextTurn: () => Promise<() => void>) {
  let endTurn: (() => void) | undefined;
  let waits = 0;
  // What runs side by side for one message enters and leaves one after another.
  let moved: Promise<unknown> = Promise.resolve();
  const enter = async (): Promise<boolean> => {
    endTurn = await nextTurn();
    return outbox.inOwnCode(job, true);
  };
  const leave = async () => {
    // Only when the mark is gone may anything be waited for; nothing has left yet, whatever goes wrong here.
    const left = await before(() => outbox.inOwnCode(job, false)).finally(() => {
      endTurn?.();
      endTurn = undefined;
    });
    if (!left) throw new DeliveryError({ type: "retry" }, "another process has the account");
  };
  const move = (to: () => Promise<unknown>) => {
    moved = moved.catch(() => {}).then(to);
    return moved;
  };
  const excuse: Excuse = async (wait) => {
    waits += 1;
    try {
      await (waits === 1 ? move(leave) : moved);
      return await wait();
    } finally {
      waits -= 1;
      if (waits === 0) await move(enter).catch(() => {});
    }
  };
  const end = async () => {
    await move(() => outbox.inOwnCode(job, false)).catch(() => {});
    endTurn?.();
  };
  return { enter: () => move(enter) as Promise<boolean>, excuse, end };
}
