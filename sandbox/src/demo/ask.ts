const PATIENCE_MS = 30_000;

/** `fetch` with a deadline, in case the server spins or hangs. Throws without an answer in time. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  // The other end may close a kept-alive connection just as it is reused.
  const headers = { ...init.headers, connection: "close" };
  return fetch(url, { ...init, headers, signal }).catch((error: unknown) => {
    if (signal.aborted) throw new Error(`no answer within ${PATIENCE_MS / 1000} s: ${url}`);
    throw new Error(`${url}: ${reasonOf(error)}`, { cause: error });
  });
}

/** The cause behind `fetch failed`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : message;
}
