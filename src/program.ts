import { type App, createApp, type Parts } from "./app.ts";
import type { Config } from "./config.ts";
import { closedSite } from "./http/closed.ts";
import { isOutOfSpace } from "./store/disk/space.ts";

/** Retry interval of a start on a full disk, ms. */
const RETRY_MS = 1_000;

/** The app, or a closed site while the disk is too full to open it. */
export interface Program extends Required<App> {
  /** Opens the app, or waits for disk space. Throws StoreError. */
  open(): Promise<void>;
}

/** On a full disk, retries the start until there is space; requests meanwhile get 503. */
export function createProgram(config: Config, parts: Parts): Program {
  const closed = closedSite(parts.log);
  let app: App | undefined;
  let [logged, stopping] = [false, false];
  const closeIfFull = async (error: unknown) => {
    if (!isOutOfSpace(error, config.dataFolder)) throw error;
    if (!logged)
      parts.log.error("disk.full", {
        folder: config.dataFolder,
        todo: "free disk space; the server then continues by itself",
      });
    logged = true;
    const failed = app;
    app = undefined;
    await failed?.close();
  };
  const make = async () => {
    app = await createApp(config, parts);
  };
  const start = async () => {
    while (!stopping) {
      try {
        if (!app) await make();
        return stopping ? undefined : await app?.start();
      } catch (error) {
        await closeIfFull(error);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  };
  return {
    fetch: (...request) => (app ?? closed).fetch(...request),
    metrics: (...request) => (app?.metrics ?? closed.fetch)(...request),
    open: () => make().catch(closeIfFull),
    start,
    async drain() {
      stopping = true;
      await app?.drain();
    },
    async close() {
      await app?.close();
    },
  };
}
