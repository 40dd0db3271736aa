import { type App, createApp, type Parts } from "./app.ts";
import type { Config } from "./config.ts";
import { type Closed, closedSite } from "./http/serving/health.ts";
import { isOutOfSpace } from "./store/disk/folder.ts";
import { StoreError } from "./store/store.ts";

/** Retry interval of a start that waits, ms. */
const RETRY_MS = 1_000;

/** The app, or a closed site while the database cannot be opened. */
export interface Program extends Required<App> {
  /** Opens the app, or waits. Throws StoreError. */
  open(): Promise<void>;
}

interface Wait extends Closed {
  event: string;
  /** Of the log. */
  fields: { todo: string };
}

/** What a start waits for; undefined when that would not help. */
function waitOf(error: unknown, folder: string): Wait | undefined {
  const goesOn = "the server then continues by itself";
  if (error instanceof StoreError && error.kind === "incomplete") {
    const todo = `gangway doctor says what can be done; ${goesOn}`;
    return { fault: error.message, bound: "loss", event: "database.incomplete", fields: { todo } };
  }
  if (!isOutOfSpace(error, folder)) return undefined;
  return {
    fault: "the disk is full",
    bound: "disk",
    event: "disk.full",
    fields: { todo: `free disk space; ${goesOn}` },
  };
}

/** On a full disk, and while accepted messages are missing, repeats the start; requests meanwhile get 503. */
export function createProgram(config: Config, parts: Parts): Program {
  let waiting: Wait | undefined;
  const closed = closedSite(parts.log, () => waiting ?? { fault: "the server starts", bound: "process" });
  let app: App | undefined;
  let stopping = false;
  const wait = async (error: unknown) => {
    const next = waitOf(error, config.dataFolder);
    if (!next) throw error;
    if (waiting?.event !== next.event)
      parts.log.error(next.event, { folder: config.dataFolder, fault: next.fault, ...next.fields });
    waiting = next;
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
        await wait(error);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  };
  return {
    fetch: (...request) => (app ?? closed).fetch(...request),
    metrics: (...request) => (app?.metrics ?? closed.fetch)(...request),
    open: () => make().catch(wait),
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
