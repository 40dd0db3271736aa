import type { Call } from "gangway-messenger/call";
import { createClock } from "gangway-messenger/clock";
import type { createOutgoing, Outgoing } from "../calls/outgoing.ts";
import { readConfig } from "../config.ts";
import { asStoreErrorIn } from "../store/disk/folder.ts";
import { openStore } from "../store/open.ts";
import type { Answer, CommandContext } from "./command.ts";

/** Loaded lazily: messengers' code takes longer to load than most commands run. */
export async function messengersOf(env: Record<string, string | undefined>) {
  const { installedMessengers, withInstalled } = await import("../messengers.ts");
  const installed = await installedMessengers(env);
  return { adapters: withInstalled(installed), installed };
}

/** Runs a command in its context, and closes what it opened afterwards. */
export async function withContext(
  env: Record<string, string | undefined>,
  run: (context: CommandContext) => Promise<Answer>,
  terminal: Pick<CommandContext, "ask" | "tell" | "interrupted">,
): Promise<Answer> {
  const config: CommandContext["config"] = (adapters = []) => readConfig(env, adapters);
  let messengers: ReturnType<CommandContext["messengers"]> | undefined;
  const opened: Promise<Outgoing>[] = [];
  const anywhere = new Map<string, Call>();
  const bucket: CommandContext["bucket"] = () => {
    const access = config().bucket;
    return access && { ...access, call: late(() => ({ origin: new URL(access.url).origin }), opened) };
  };
  const clock = createClock(Date.now);
  const context: CommandContext = {
    config,
    messengers() {
      messengers ??= messengersOf(env);
      return messengers;
    },
    ...{ clock, ...terminal },
    call: late(() => ({ allowLoopback: config().sandbox, proxies: config().proxies }), opened),
    callAnywhere: (request) => {
      const { origin } = new URL(request.url);
      const call = anywhere.get(origin) ?? late(() => ({ origin }), opened);
      anywhere.set(origin, call);
      return call(request);
    },
    bucket,
    async withStore(work) {
      const { dataFolder, databaseUrl, keyRing } = config();
      const of = { folder: dataFolder, databaseUrl, bucket: bucket(), keyRing };
      const explained = async (error: unknown) => {
        if (databaseUrl === undefined) throw asStoreErrorIn(dataFolder, error);
        const faults = await import("../store/postgres/database/faults.ts");
        throw faults.asStoreError(error, databaseUrl);
      };
      const store = await openStore({ ...of, clock, shared: true }).catch(explained);
      return await work(store)
        .catch(explained)
        .finally(() => store.close());
    },
  };
  return run(context).finally(async () => {
    for (const outgoing of opened) await (await outgoing).close();
  });
}

/** Loads the HTTP client on the first call: most commands make none. */
function late(how: () => Parameters<typeof createOutgoing>[0], opened: Promise<Outgoing>[]): Call {
  let outgoing: Promise<Outgoing> | undefined;
  return async (request) => {
    if (!outgoing) {
      outgoing = import("../calls/outgoing.ts").then(({ createOutgoing }) => createOutgoing(how()));
      opened.push(outgoing);
    }
    return (await outgoing).call(request);
  };
}
