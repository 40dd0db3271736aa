import type { Clock } from "gangway-messenger/clock";
import { serialByKey } from "gangway-messenger/concurrency";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Config } from "../../config.ts";
import type { Account } from "../../domain/account.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Journals } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayReport } from "../messages/replay.ts";
import { replayKept } from "../messages/replaying.ts";

/** Selects webhooks: `from` <= arrival < `to`, ms. */
export interface Span {
  from: number;
  to: number;
}

/** Limit of a request, which reads every account's rows in the span; the command takes longer spans. */
export const MAX_SPAN_MS = 86_400_000;

/** Replays an account's stored webhooks of a span while the server runs. One at a time. */
export interface Replays {
  account(id: AccountId): Promise<Account | undefined>;
  /** Reports what is missing; changes nothing. */
  rehearse(account: Account, span: Span): Promise<ReplayReport>;
  /** Delivers what is missing, after an audit entry. `token`: name of the API token, if one was used. */
  run(account: Account, span: Span, token?: string): Promise<ReplayReport>;
}

export interface ReplaysParts {
  config: Config;
  store: Store;
  adapters: ChannelAdapter[];
  journals: Journals;
  clock: Pick<Clock, "now">;
  wake(id: AccountId): void;
}

export function createReplays({ clock, wake, ...parts }: ReplaysParts): Replays {
  const { store } = parts;
  const oneByOne = serialByKey<"replay">();
  const replay = (account: Account, span: Span, dryRun: boolean) =>
    oneByOne("replay", () => replayKept(parts, { account, ...span, dryRun }));
  return {
    account: store.accounts.byId,
    rehearse: (account, span) => replay(account, span, true),
    async run(account, { from, to }, token) {
      const text = (at: number) => new Date(at).toISOString();
      const detail = { from: text(from), to: text(Math.min(to, clock.now())), token };
      await store.audit.record(account.id, { actor: "operator", action: "webhooks run again", detail });
      const report = await replay(account, { from, to }, false);
      if (report.missing > 0) wake(account.id);
      return report;
    },
  };
}
