/** Longest that whoever drives the demo or a trial waits for an answer, ms. */
const PATIENCE_MS = 30_000;

/** A server that spins or hangs must not hold its driver up for ever: throws when there is no answer in time. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  // A kept connection may be closed at the other end just when it is used again.
  const headers = { ...init.headers, connection: "close" };
  return fetch(url, { ...init, headers, signal }).catch((error: unknown) => {
    if (signal.aborted) throw new Error(`no answer within ${PATIENCE_MS / 1000} s: ${url}`);
    throw new Error(`${url}: ${reasonOf(error)}`, { cause: error });
  });
}

/** What `fetch failed` leaves out. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : message;
}
