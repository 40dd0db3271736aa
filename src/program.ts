import { type App, createApp, type Parts } from "./app.ts";
import type { Config } from "./config.ts";
import { closedSite } from "./http/closed.ts";
import { isOutOfSpace } from "./store/disk/space.ts";

/** How often a start on a full disk is tried again, ms. */
const AGAIN_MS = 1_000;

/** The app, or what stands for it while the disk is too full for one. */
export interface Program extends Required<App> {
  /** Opens the app, or finds that it has to wait for room; throws StoreError. */
  open(): Promise<void>;
}

/** A start on a full disk is tried until there is room; all who come meanwhile are asked to come again. */
export function createProgram(config: Config, parts: Parts): Program {
  const closed = closedSite(parts.log);
  let app: App | undefined;
  let [told, stopping] = [false, false];
  const waitsForRoom = async (error: unknown) => {
    if (!isOutOfSpace(error, config.dataFolder)) throw error;
    if (!told)
      parts.log.error("disk.full", { folder: config.dataFolder, todo: "make room: the server goes on by itself then" });
    told = true;
    const half = app;
    app = undefined;
    await half?.close();
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
        await waitsForRoom(error);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  };
  return {
    fetch: (...asked) => (app ?? closed).fetch(...asked),
    metrics: (...asked) => (app?.metrics ?? closed.fetch)(...asked),
    open: () => make().catch(waitsForRoom),
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
