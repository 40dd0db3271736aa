import { join } from "node:path";
import type { Outgoing } from "../calls/outgoing.ts";
import { readConfig } from "../config.ts";
import { systemClock } from "../domain/clock.ts";
import { asStoreError } from "../store/disk/faults.ts";
import { DATABASE } from "../store/disk/folder.ts";
import { openStore } from "../store/open.ts";
import type { Answer, CommandContext } from "./command.ts";

/** Runs a command with what it needs, and closes that afterwards. */
export async function withContext(
  env: Record<string, string | undefined>,
  run: (context: CommandContext) => Promise<Answer>,
): Promise<Answer> {
  const config: CommandContext["config"] = (adapters = []) => readConfig(env, adapters);
  let outgoing: Promise<Outgoing> | undefined;
  const context: CommandContext = {
    config,
    clock: systemClock,
    call: async (request) => {
      outgoing ??= import("../calls/outgoing.ts").then(({ createOutgoing }) =>
        createOutgoing({ allowLoopback: config().sandbox }),
      );
      return (await outgoing).call(request);
    },
    async withStore(work) {
      const { dataFolder, databaseUrl, keyRing } = config();
      const store = await openStore({ folder: dataFolder, databaseUrl, keyRing, clock: systemClock, shared: true });
      return await work(store)
        .catch(async (error: unknown) => {
          if (databaseUrl === undefined) throw asStoreError(error, join(dataFolder, DATABASE));
          const faults = await import("../store/postgres/faults.ts");
          throw faults.asStoreError(error, databaseUrl);
        })
        .finally(() => store.close());
    },
  };
  return run(context).finally(async () => (await outgoing)?.close());
}
