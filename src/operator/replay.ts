import { adapters } from "../channels/registry.ts";
import type { Config } from "../config.ts";
import { systemClock } from "../domain/clock.ts";
import type { AccountId } from "../domain/ids.ts";
import { createLog } from "../log.ts";
import { type ReplayReport, replayWindow } from "../module/replay.ts";
import { createJournals } from "../relay/journals.ts";
import { createSessions } from "../relay/sessions.ts";
import type { Store } from "../store/store.ts";
import { type Answer, type Command, UsageError } from "./command.ts";
import { timeIn, timeOption } from "./reading.ts";

/** Without `--to`: until now. */
export const replay: Command = {
  words: "replay",
  summary:
    "runs an account's kept webhooks of a window of time again: what is known adds nothing, what is missing is delivered",
  options: {
    account: { value: "id", help: "the account, by its id or the address of its CRM" },
    from: timeOption("what came at this time or later"),
    to: timeOption("what came until this time"),
    "dry-run": { help: "only say what would be delivered" },
  },
  async run(desk, given): Promise<Answer> {
    const now = desk.clock.now();
    const name = given.text("account");
    const [from, to = now] = [timeIn(given, "from", now), timeIn(given, "to", now)];
    if (!name) throw new UsageError("--account is missing");
    if (from === undefined) throw new UsageError("--from is missing");
    if (from >= to) throw new UsageError("--from should be before --to");
    const dryRun = given.on("dry-run");
    return desk.withStore(async (store) => {
      const account = (await store.accounts.byId(name as AccountId)) ?? (await store.accounts.byCrmUrl(name));
      if (!account)
        return { ok: false, json: { error: `there is no account ${name}` }, text: [`There is no account ${name}`] };
      const report = await replayWindow(replayParts(desk.config(), store), { account, from, to, dryRun });
      return { ok: true, json: { ...report, dryRun }, text: words(report, dryRun) };
    });
  },
};

/** Sessions that read, and can call nobody. */
function replayParts(config: Config, store: Store) {
  let time = 0;
  const journals = createJournals(store);
  const sessions = createSessions({
    ...{ adapters, store, journals, publicUrl: config.publicUrl },
    call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "nobody is called while replaying" }),
    clock: { ...systemClock, now: () => time, monotonic: () => time },
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

const words = ({ webhooks, already, missing, unreadable, refused }: ReplayReport, dryRun: boolean): string[] => [
  `${webhooks} webhooks were kept`,
  `${already} events are there`,
  `${missing} events were missing and ${dryRun ? "would be" : "are being"} delivered`,
  `${unreadable} webhooks cannot be read any more`,
  `${refused} webhooks are refused now: their channel was removed or stopped, or the account is off`,
];
