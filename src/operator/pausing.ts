import type { ChannelId } from "gangway-messenger/ids";
import type { AccountLimits } from "../domain/pausing.ts";
import { LIMITS } from "../domain/pausing.ts";
import { createPausing, type Paused, type Pausing } from "../module/vendor/pausing.ts";
import { ACCOUNT_HELP, accountOf, noAccount } from "./account.ts";
import { type Answer, type Arguments, type Command, type CommandContext, failed } from "./command.ts";
import { when } from "./table.ts";

const OF_ACCOUNT = { name: "account", needed: true };
const CHANNEL = { channel: { value: "id", help: "only this channel of it; absent: the whole account" } };

export const accountsPause: Command = {
  words: "accounts pause",
  summary: `pause an account (${ACCOUNT_HELP}), or one channel of it; its merchant and agents read the reason`,
  takes: OF_ACCOUNT,
  options: {
    ...CHANNEL,
    reason: { value: "text", help: "why, as the merchant reads it: one line, 500 characters at most" },
  },
  run: (context, given) =>
    over(context, given, async (pausing, paused, name) => {
      const outcome = await pausing.pause(paused, given.text("reason") ?? "");
      if (!outcome.ok) return failed(`${outcome.fault}.`);
      const since = await pausing.since(paused);
      const before = since === undefined ? "" : ` since ${when(since)}`;
      const text = outcome.changed
        ? `${name} is paused: customers' messages are kept, and agents read the reason.`
        : `${name} is paused already${before}, for this reason.`;
      return { ok: true, json: { changed: outcome.changed, since: since && when(since) }, text: [text] };
    }),
};

export const accountsResume: Command = {
  words: "accounts resume",
  summary: `resume an account (${ACCOUNT_HELP}), or one channel of it, that was paused by you`,
  takes: OF_ACCOUNT,
  options: CHANNEL,
  run: (context, given) =>
    over(context, given, async (pausing, paused, name) => {
      const { pauseReason: reason } = paused.channel ?? paused.account;
      const outcome = await pausing.resume(paused);
      if (!outcome.ok) return failed(`${outcome.fault}.`);
      const text = outcome.changed
        ? `${name} is resumed; it was paused for this reason: ${reason}`
        : `${name} is not paused by you: nothing has changed.`;
      return { ok: true, json: { changed: outcome.changed, reason }, text: [text] };
    }),
};

export const accountsLimit: Command = {
  words: "accounts limit",
  summary: `set an account's own limits (${ACCOUNT_HELP}); without options show them`,
  takes: OF_ACCOUNT,
  options: {
    calls: { value: "n", help: "calls at the same time, or default: the server's CALLS_PER_ACCOUNT" },
    jobs: { value: "n", help: "messages that may wait, or default: the server's JOBS_PER_ACCOUNT" },
  },
  run: (context, given) =>
    over(context, given, async (pausing, { account }) => {
      const typed = Object.fromEntries(LIMITS.map((name) => [name, given.text(name)]));
      const isAsked = LIMITS.every((name) => typed[name] === undefined);
      const outcome = isAsked
        ? { ok: true as const, limits: account.limits ?? {} }
        : await pausing.limit(account, typed);
      if (!outcome.ok) return failed(`${outcome.fault}.`);
      const { limits } = outcome;
      const text = LIMITS.map((name) => `${name}: ${limits[name] ?? `${pausing.ranges[name].usual} (the server's)`}`);
      return { ok: true, json: { limits }, text };
    }),
};

/** Summary of the limits for a table or line; empty without any. */
export const limitsInWords = (limits: AccountLimits = {}): string =>
  LIMITS.flatMap((name) => (limits[name] === undefined ? [] : [`${name} ${limits[name]}`])).join(", ");

type Act = (pausing: Pausing, paused: Paused, name: string) => Promise<Answer>;

/** A running server is notified of the change, or sees it within seconds. */
function over(context: CommandContext, given: Arguments, act: Act): Promise<Answer> {
  return context.withStore(async (store) => {
    const [name, channelId] = [given.word ?? "", given.text("channel")];
    const account = await accountOf(store, name);
    if (!account) return noAccount(name);
    const pausing = createPausing({ store, through: "command", server: context.config() });
    const paused = await pausing.find(account.id, channelId as ChannelId | undefined);
    if (!paused) return failed(`The account has no channel ${channelId}; see gangway accounts show ${account.id}.`);
    return act(
      pausing,
      paused,
      paused.channel ? `The channel ${paused.channel.name}` : `The account ${account.crmUrl}`,
    );
  });
}
