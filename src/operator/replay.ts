import { adapters } from "../channels/registry.ts";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { systemClock } from "../domain/clock.ts";
import type { AccountId } from "../domain/ids.ts";
import { createLog } from "../log.ts";
import { type ReplayReport, type ReplayWindow, replayWindow } from "../module/replay.ts";
import { createJournals } from "../relay/journals.ts";
import { createSessions } from "../relay/sessions.ts";
import { StoreError } from "../store/db.ts";
import { openStore, type Store } from "../store/store.ts";

export interface ReplayArgs {
  /** Its id, or the address of its CRM. */
  account: string;
  /** Times in ISO 8601; without `to`: until now. */
  from: string;
  to?: string;
  dryRun: boolean;
  json: boolean;
}

/** `gangway replay`: beside a running server or without one. Resolves with the exit code. */
export async function runReplay(
  env: Record<string, string | undefined>,
  args: ReplayArgs,
  print: (line: string) => void,
): Promise<number> {
  const from = Date.parse(args.from);
  const to = args.to === undefined ? Date.now() : Date.parse(args.to);
  if (Number.isNaN(from) || Number.isNaN(to) || from >= to) {
    print("--from and --to should be times such as 2026-01-31T09:00Z, the first before the second");
    return 2;
  }
  try {
    const config = readConfig(env);
    const report = await replayed(config, args, { from, to, dryRun: args.dryRun });
    if (!report) print(`There is no account ${args.account}`);
    else print(args.json ? JSON.stringify({ ...report, dryRun: args.dryRun }) : words(report, args.dryRun));
    return report ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StoreError)) throw error;
    print(error.message);
    return 1;
  }
}

async function replayed(
  config: Config,
  { account: name }: ReplayArgs,
  window: Omit<ReplayWindow, "account">,
): Promise<ReplayReport | undefined> {
  const { dataFolder: folder, keyRing, allowRemoteFolder } = config;
  const store = await openStore({ folder, keyRing, allowRemoteFolder, clock: systemClock, shared: true });
  try {
    const account = (await store.accounts.byId(name as AccountId)) ?? (await store.accounts.byCrmUrl(name));
    return account && (await replayWindow(replayParts(config, store), { ...window, account }));
  } finally {
    store.close();
  }
}

/** Sessions that read, and can call nobody. */
function replayParts(config: Config, store: Store) {
  let time = 0;
  const journals = createJournals(store);
  const sessions = createSessions({
    ...{ adapters, store, journals, publicUrl: config.publicUrl },
    call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "nobody is called while replaying" }),
    clock: { ...systemClock, now: () => time },
    serverOptions: (kind) => ({ updates: config.updates, apiUrl: config.apiUrls[kind] }),
    gatewayOf: () => {
      throw new Error("the gateway is not called while replaying");
    },
  });
  return {
    ...{ store, sessions, journals, publicUrl: config.publicUrl },
    patienceMs: config.limits.outboundPatienceMs,
    setTime: (ms: number) => {
      time = ms;
    },
    log: createLog({ level: "silent", write: () => {} }),
  };
}

const words = ({ webhooks, already, missing, unreadable, refused }: ReplayReport, dryRun: boolean): string =>
  [
    `${webhooks} webhooks were kept`,
    `${already} events are there`,
    `${missing} events were missing and ${dryRun ? "would be" : "are being"} delivered`,
    `${unreadable} webhooks cannot be read any more`,
    `${refused} webhooks are refused now: their channel was removed or stopped, or the account is off`,
  ].join("\n");
