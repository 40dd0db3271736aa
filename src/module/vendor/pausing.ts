import type { ChannelId } from "gangway-messenger/ids";
import { z } from "zod";
import type { Config } from "../../config.ts";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { AccountId } from "../../domain/ids.ts";
import { type AccountLimits, LIMIT_RANGES, LIMITS, type LimitName, reasonFault } from "../../domain/pausing.ts";
import type { LimitChange } from "../../store/accounts.ts";
import type { Act } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";

/** What the vendor can do to an account or one of its channels. */
export interface Pausing {
  /** Undefined if there is no such account, or no such channel in it. */
  find(account: AccountId, channel?: ChannelId): Promise<Paused | undefined>;
  /** `changed` is false if the pause was set already. */
  pause(of: Paused, reason: string): Promise<Outcome>;
  resume(of: Paused): Promise<Outcome>;
  /** Values as typed; "default" or an empty value resets a limit, an absent one leaves it. */
  limit(account: Account, typed: Partial<Record<LimitName, string>>): Promise<Limited>;
  /** The allowed range of each limit, and the value of an account that has none of its own. */
  ranges: Record<LimitName, { min: number; max: number; usual: number }>;
  /** When it was paused, ms; undefined if the audit no longer has that entry. */
  since(of: Paused): Promise<number | undefined>;
}

export interface Paused {
  account: Account;
  /** Absent: the whole account. */
  channel?: Channel;
}
type Refused = { ok: false; fault: string };
type Outcome = { ok: true; changed: boolean } | Refused;
type Limited = { ok: true; limits: AccountLimits } | (Refused & { name: LimitName });

export interface PausingParts {
  store: Pick<Store, "accounts" | "audit" | "channels">;
  /** Where the vendor acts, for the audit. */
  through: "console" | "command";
  /** The server's totals, which cap an account's own limits, and its defaults for accounts without any. */
  server: {
    limits: Pick<Config["limits"], "calls" | "callsPerAccount">;
    bounds: Pick<Config["bounds"], "all" | "perAccount">;
  };
  /** Called after a resume: waiting messages may leave. */
  resumed?(account: Account): void;
}

/** Audit entries searched for the time of a pause. */
const MAX_READ = 2_000;

export function createPausing({ store, through, server, resumed = () => {} }: PausingParts): Pausing {
  const ranges = rangesOf(server);
  const by = (action: string): Act => ({ actor: "operator", action, detail: { through } });
  const set = ({ account, channel }: Paused, reason: string | undefined) => {
    const done = reason === undefined ? "resumed" : "paused";
    return channel
      ? store.channels.setPause(channel.id, reason, by(`channel ${done}`))
      : store.accounts.setPause(account.id, reason, by(`account ${done}`));
  };
  return {
    ranges,
    async find(id, channelId) {
      const account = await store.accounts.byId(id);
      if (!account || channelId === undefined) return account && { account };
      const channel = await store.channels.byId(id, channelId);
      return channel && { account, channel };
    },
    async pause(of, given) {
      const reason = given.trim();
      const fault = reasonFault(reason);
      return fault === undefined ? { ok: true, changed: await set(of, reason) } : { ok: false, fault };
    },
    async resume(of) {
      const changed = await set(of, undefined);
      const now = changed && (await store.accounts.byId(of.account.id));
      if (now) resumed(now);
      return { ok: true, changed };
    },
    async limit({ id }, typed) {
      const change: LimitChange = {};
      for (const name of LIMITS) {
        const text = typed[name];
        if (text === undefined) continue;
        const value = limitIn(text, ranges[name]);
        if (value === undefined) return { ok: false, name, fault: limitFault(name, ranges[name]) };
        change[name] = value;
      }
      const limits = await store.accounts.setLimits(id, change, by("account limits set"));
      return { ok: true, limits: limits ?? {} };
    },
    since: ({ account, channel }) => pausedAt(store, account.id, channel?.id),
  };
}

function rangesOf({ limits, bounds }: PausingParts["server"]): Pausing["ranges"] {
  // At least half is left for other accounts, unless the server's own settings leave less.
  const of = (name: LimitName, usual: number, total: number) => {
    const { min, max } = LIMIT_RANGES[name];
    return { min, max: Math.min(max, Math.max(Math.floor(total / 2), usual)), usual };
  };
  return {
    calls: of("calls", limits.callsPerAccount, limits.calls),
    jobs: of("jobs", bounds.perAccount, bounds.all),
  };
}

type Range = { min: number; max: number };

function limitIn(text: string, { min, max }: Range): number | "default" | undefined {
  if (text.trim() === "" || text.trim() === "default") return "default";
  const digits = z
    .string()
    .trim()
    .regex(/^\d{1,9}$/);
  return digits.transform(Number).pipe(z.int().min(min).max(max)).safeParse(text).data;
}

const limitFault = (name: LimitName, { min, max }: Range) =>
  `${name === "calls" ? "Calls" : "Jobs"}: a whole number from ${min} to ${max}, or default`;

async function pausedAt(
  { audit }: Pick<Store, "audit">,
  accountId: AccountId,
  channelId?: ChannelId,
): Promise<number | undefined> {
  const action = channelId === undefined ? "account paused" : "channel paused";
  const acts = await audit.list({ accountId, limit: MAX_READ });
  return acts.find((act) => act.actor === "operator" && act.action === action && act.detail.channel === channelId)?.at;
}
