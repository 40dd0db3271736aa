import type { ReplayReport, UnreadWebhook } from "../module/messages/replay.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import { type Answer, type Command, UsageError } from "./command.ts";
import { spanIn, timeOption } from "./options.ts";
import { when } from "./table.ts";

/** No upper bound by default: if the clock was set back, webhooks may lie in the future. */
const NO_END = Number.MAX_SAFE_INTEGER;
/** Unreadable webhooks listed in the text output. */
const MAX_LISTED = 20;

export const replay: Command = {
  words: "replay",
  summary: "replay an account's kept webhooks from a time window: known events are ignored, missing ones delivered",
  options: {
    account: { value: "id", help: `the account, ${ACCOUNT_HELP}` },
    from: timeOption("webhooks from this time on"),
    to: timeOption("webhooks before this time (default: all)"),
    "dry-run": { help: "only report what would be delivered" },
  },
  async run(context, given): Promise<Answer> {
    const now = context.clock.now();
    const name = given.text("account");
    const { from, to = NO_END } = spanIn(given, now);
    if (!name) throw new UsageError("--account is missing");
    if (from === undefined) throw new UsageError("--from is missing");
    if (from >= to) throw new UsageError("--from should be before --to");
    const dryRun = given.on("dry-run");
    const { adapters } = await context.messengers();
    const config = context.config(adapters);
    return context.withStore(async (store) => {
      const account = await accountOf(store, name);
      if (!account) return noAccount(name);
      const detail = { from: when(from), to: when(Math.min(to, now)) };
      // Record first: even an interrupted replay may deliver something.
      if (!dryRun) await store.audit.record(account.id, { actor: "operator", action: "webhooks run again", detail });
      const { replayKept } = await import("../module/messages/replaying.ts");
      const report = await replayKept({ config, store, adapters }, { account, from, to, dryRun });
      const unreadable = report.unreadable.map(({ at, ...where }) => ({ at: when(at), ...where }));
      return {
        ok: unreadable.length === 0,
        json: { ...report, unreadable, dryRun },
        text: reportLines(report, dryRun),
      };
    });
  },
};

const reportLines = (report: ReplayReport, dryRun: boolean): string[] => {
  const { webhooks, already, unchanging, missing, unreadable, refused } = report;
  return [
    `Kept webhooks: ${webhooks}`,
    `Known events: ${already}`,
    `Missing events, ${dryRun ? "would be" : "now being"} delivered: ${missing}`,
    `Unreadable webhooks: ${unreadable.length}`,
    ...unreadable.slice(0, MAX_LISTED).map(unreadableLine),
    ...(unreadable.length > MAX_LISTED ? [`  and ${unreadable.length - MAX_LISTED} more: --json lists them all`] : []),
    `Webhooks that no longer change anything: ${unchanging}`,
    `Refused webhooks (channel removed, stopped or unreadable, or account off): ${refused}`,
  ];
};

const unreadableLine = ({ at, ...where }: UnreadWebhook): string =>
  "row" in where
    ? `  ${when(at)}, row ${where.row}: cannot be opened; it may hold several webhooks, of any account`
    : `  ${when(at)}: channel ${where.channelId} finds no events in it`;
