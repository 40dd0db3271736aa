// Requests that come in one turn, or while a batch is stored, are stored together.

/** Requests of one transaction: they hold as many locks, of which a server has some thousands. */
const MAX_BATCH = 128;
interface Pending<Q, R> {
  request: Q;
  resolve(value: R): void;
  reject(error: unknown): void;
}

/**
 * `store` resolves, once it is committed, with a function for each request that gives its value, or throws. If it fails, each
 * request is stored apart, so that one cannot fail the others.
 */
export function batches<Q, R>(store: (requests: Q[]) => Promise<(() => R)[]>): (request: Q) => Promise<R> {
  const pending: Pending<Q, R>[] = [];
  // One at a time, so that what came first is stored first. The next one gathers meanwhile.
  let busy = false;
  const storeAll = async (batch: Pending<Q, R>[]) => {
    try {
      const ends = await store(batch.map(({ request }) => request));
      for (const [n, pending] of batch.entries()) settle(pending, ends[n] as () => R);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const each of batch) await storeAll([each]);
    }
  };
  const flush = async () => {
    while (pending.length > 0) await storeAll(pending.splice(0, MAX_BATCH));
    busy = false;
  };
  return (request) =>
    new Promise((resolve, reject) => {
      pending.push({ request, resolve, reject });
      if (busy) return;
      busy = true;
      setImmediate(() => void flush());
    });
}

function settle<Q, R>({ resolve, reject }: Pending<Q, R>, end: () => R): void {
  try {
    resolve(end());
  } catch (error) {
    reject(error);
  }
}
