import { adapters } from "../channels/registry.ts";
import type { Config } from "../config.ts";
import { systemClock } from "../domain/clock.ts";
import { createLog } from "../log.ts";
import { type ReplayReport, replayWindow, type UnreadWebhook } from "../module/replay.ts";
import { createJournals } from "../relay/sessions/journals.ts";
import { createSessions } from "../relay/sessions/sessions.ts";
import type { Store } from "../store/store.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import { type Answer, type Command, UsageError } from "./command.ts";
import { spanIn, timeOption } from "./options.ts";
import { when } from "./table.ts";

/** Most webhooks that are told one by one. */
const MOST_TOLD = 20;

/** Without `--to`: until now. */
export const replay: Command = {
  words: "replay",
  summary:
    "runs an account's kept webhooks of a window of time again: what is known adds nothing, what is missing is delivered",
  options: {
    account: { value: "id", help: `the account, ${ACCOUNT_HELP}` },
    from: timeOption("what came at this time or later"),
    to: timeOption("what came until this time"),
    "dry-run": { help: "only say what would be delivered" },
  },
  async run(desk, given): Promise<Answer> {
    const now = desk.clock.now();
    const name = given.text("account");
    const { from, to = now } = spanIn(given, now);
    if (!name) throw new UsageError("--account is missing");
    if (from === undefined) throw new UsageError("--from is missing");
    if (from >= to) throw new UsageError("--from should be before --to");
    const dryRun = given.on("dry-run");
    return desk.withStore(async (store) => {
      const account = await accountOf(store, name);
      if (!account) return noAccount(name);
      const detail = { from: when(from), to: when(to) };
      // Before it begins: also one that is cut has delivered something.
      if (!dryRun) await store.audit.record(account.id, { actor: "operator", action: "webhooks run again", detail });
      const report = await replayWindow(replayParts(desk.config(), store), { account, from, to, dryRun });
      const unreadable = report.unreadable.map(({ at, ...where }) => ({ at: when(at), ...where }));
      return {
        ok: unreadable.length === 0,
        json: { ...report, unreadable, dryRun },
        text: words(report, dryRun),
      };
    });
  },
};

/** Sessions that read, and can call nobody. */
function replayParts(config: Config, store: Store) {
  let time = 0;
  const journals = createJournals(store);
  const sessions = createSessions({
    ...{ adapters, store, journals, publicUrl: config.publicUrl, markup: config.markup },
    call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "nobody is called while replaying" }),
    clock: { ...systemClock, now: () => time, monotonic: () => time },
    serverOptions: (kind) => ({ updates: config.updates, ...config.messengers[kind] }),
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
  `${unreadable.length} webhooks cannot be read any more`,
  ...unreadable.slice(0, MOST_TOLD).map(wordsOf),
  ...(unreadable.length > MOST_TOLD ? [`  and ${unreadable.length - MOST_TOLD} more: --json lists them all`] : []),
  `${refused} webhooks are refused now: their channel was removed, stopped or does not open, or the account is off`,
];

const wordsOf = ({ at, ...where }: UnreadWebhook): string =>
  "row" in where
    ? `  of ${when(at)}, row ${where.row}: does not open; it may hold several, of any account`
    : `  of ${when(at)}: the channel ${where.channelId} finds nothing in it`;
