import type { Clock } from "gangway-messenger/clock";
import { Refusal } from "./reply.ts";

/** Slowest upload: bytes per window, ms. A slower one is cut, since it occupies one of few reservations. */
const [MIN_BYTES, WINDOW_MS] = [160 * 1024, 20_000];

/** Passes the bytes through; fails with a Refusal when they come too slowly. */
export function withMinRate(body: ReadableStream<Uint8Array>, clock: Clock): ReadableStream<Uint8Array> {
  let [arrived, cancel] = [0, () => {}];
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      const check = () => {
        if (arrived < MIN_BYTES) return controller.error(new Refusal(408, "The file came too slowly"));
        arrived = 0;
        cancel = clock.after(WINDOW_MS, check);
      };
      cancel = clock.after(WINDOW_MS, check);
    },
    transform(chunk, controller) {
      arrived += chunk.byteLength;
      controller.enqueue(chunk);
    },
    flush: () => cancel(),
  });
  return body.pipeThrough(watch);
}
