import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { UsageError } from "./command-line.ts";

const LAST_PORT = 65_535;
/** Linux gives no outgoing connection a port below 32,768, so that one of these is still free when its server starts. */
const [FIRST_OWN, END_OF_OWN] = [20_000, 32_768];
const TRIES = 100;

/** A free port; `wanted` if it is free. Another one is promised to nobody else until this process ends. */
export async function freePort(wanted: number): Promise<number> {
  if (wanted !== 0 && (await isFree(wanted))) return wanted;
  for (let n = 0; n < TRIES; n++) {
    const port = randomInt(FIRST_OWN, END_OF_OWN);
    if ((await isFree(port)) && (await reserve(port))) return port;
  }
  throw new Error("no free port");
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });

/** False if it is promised already. Held by a name that all processes see and that ends with its process: Linux has such. */
const reserve = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    if (process.platform !== "linux") return resolve(true);
    const name = createServer().unref();
    name.once("error", () => resolve(false));
    name.listen(`\0gangway-port-${port}`, () => resolve(true));
  });

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
