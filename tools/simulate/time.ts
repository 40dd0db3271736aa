/**
 * Virtual time. Events happen one after the other: what is due, in order, each after everything that the last one
 * caused.
 */
export interface Time {
  /** ms since the simulation began. */
  now(): number;
  /** Runs once after `ms`; 0: after all that is due by now. The result cancels it. */
  after(ms: number, run: () => void): () => void;
  pause(ms: number): Promise<void>;
  /**
   * Lets time pass until `done`. Rejects with what a timer throws, when nothing is due any more, or when time stands
   * still.
   */
  run(done: () => boolean): Promise<void>;
  /** Number of events so far. */
  steps(): number;
}

/** Only an endless loop has so many events at one time. */
const MAX_AT_ONCE = 200_000;

interface Due {
  at: number;
  order: number;
  run(): void;
  cancelled: boolean;
}

export function createTime(): Time {
  const queue = createQueue();
  let [now, steps, order, atOnce] = [0, 0, 0, 0];
  const after: Time["after"] = (ms, run) => {
    // NaN and negative numbers count as 1, as Node's timers do.
    const due = { at: now + (ms >= 0 ? ms : 1), order: order++, run, cancelled: false };
    queue.add(due);
    return () => {
      due.cancelled = true;
    };
  };
  return {
    now: () => now,
    steps: () => steps,
    after,
    pause: (ms) => new Promise((resolve) => void after(ms, resolve)),
    run: (done) =>
      new Promise((resolve, reject) => {
        // Between two callbacks Node runs all microtasks.
        const step = () => {
          if (done()) return resolve();
          const due = queue.take();
          if (!due) return reject(new Error("nothing is due any more"));
          atOnce = due.at > now ? 0 : atOnce + 1;
          if (atOnce > MAX_AT_ONCE)
            return reject(new Error("time stands still: something runs again and again at once"));
          now = Math.max(now, due.at);
          steps += 1;
          try {
            due.run();
          } catch (error) {
            return reject(error);
          }
          setImmediate(step);
        };
        setImmediate(step);
      }),
  };
}

const isBefore = (one: Due, other: Due) => one.at < other.at || (one.at === other.at && one.order < other.order);

/** A binary heap. */
function createQueue() {
  const heap: Due[] = [];
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b] as Due, heap[a] as Due];
  };
  const rise = (n: number) => {
    for (let at = n, up = (at - 1) >> 1; at > 0 && isBefore(heap[at] as Due, heap[up] as Due); up = (at - 1) >> 1) {
      swap(at, up);
      at = up;
    }
  };
  const sink = () => {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      for (const child of [left, right])
        if (child < heap.length && isBefore(heap[child] as Due, heap[first] as Due)) first = child;
      if (first === at) return;
      swap(at, first);
      at = first;
    }
  };
  const pop = (): Due | undefined => {
    const [first] = heap;
    const last = heap.pop();
    if (last && heap.length > 0) {
      heap[0] = last;
      sink();
    }
    return first;
  };
  return {
    add(due: Due) {
      heap.push(due);
      rise(heap.length - 1);
    },
    take() {
      for (let due = pop(); due; due = pop()) if (!due.cancelled) return due;
      return undefined;
    },
  };
}
