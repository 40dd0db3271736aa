import { createServer } from "node:net";
import { UsageError } from "./command-line.ts";

const LAST_PORT = 65_535;

/** A free port; `wanted` if it is free. */
export function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", () => (wanted === 0 ? reject(new Error("no free port")) : resolve(freePort(0))));
    probe.listen(wanted, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/**
 * The port to listen on. Falls back only from the default, never from one that was asked for. Throws a message for the
 * user.
 */
export async function portOf(
  name: string,
  requested: string | undefined,
  fallback: number,
  warn: (words: string) => void,
): Promise<number> {
  if (requested !== undefined && !(/^\d{1,5}$/.test(requested) && Number(requested) <= LAST_PORT))
    throw new UsageError(`--${name} ${requested} is not a port: choose a number from 0 (a free port) to ${LAST_PORT}`);
  const wanted = Number(requested ?? fallback);
  const port = await freePort(wanted);
  if (wanted === 0 || port === wanted) return port;
  if (requested !== undefined)
    throw new Error(`port ${requested} is taken; choose another --${name}, or 0 for a free one`);
  warn(`Port ${wanted} is taken: ${port} is used instead`);
  return port;
}
