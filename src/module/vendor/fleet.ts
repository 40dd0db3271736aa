import { serialByKey } from "gangway-messenger/concurrency";
import { type Account, isSlow, type LedgerRow, STANDINGS, type Standing, works } from "../../domain/account.ts";
import { type Channel, shownState } from "../../domain/channel.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import type { VendorEvent } from "../../domain/vendor.ts";
import type { AuditRow } from "../../store/care.ts";
import type { DeadLetters, FoundMessage, Looking, Search, Story } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";
import { exactFirst, MAX_SEARCHED, type Placed, placed } from "../messages/placing.ts";
import { type Step, stepsOf } from "../messages/steps.ts";

/** All accounts, for the vendor who hosts the server. */
export interface Fleet {
  /** Worst first. `text`: part of the CRM's address, or an account or channel id. Undefined before the first check. */
  accounts(filter: { text?: string; standing?: Standing }): Promise<{ at: number; accounts: AccountRow[] } | undefined>;
  account(id: AccountId): Promise<OneAccount | undefined>;
  /** Text that is no id is searched only in the newest messages, or those before `before`; `reached` says how far. */
  find(
    text: string,
    how?: Pick<Looking, "before" | "withContents">,
  ): Promise<{ found: Placed<FoundMessage>[]; reached?: Search["reached"] }>;
  story(id: JobId): Promise<(Placed<Story> & { steps: Step[] }) | undefined>;
  /** Dead or held messages by reason. */
  undelivered: DeadLetters["reasons"];
  /** Events sent to the vendor's system, newest first. */
  events(limit: number): Promise<VendorEvent[]>;
  audit(limit: number): Promise<(AuditRow & { crmUrl?: string })[]>;
}

interface OneAccount {
  account: AccountRow;
  trouble?: string;
  channels: ChannelRow[];
  /** The newest audit entries about the account. */
  acts: AuditRow[];
}

export interface AccountRow extends Sums, Pick<Account, "id" | "crmUrl" | "pauseReason" | "limits"> {
  /** The account's own standing, or a channel's if that is worse. */
  standing: Standing;
  channels: number;
}
export interface ChannelRow extends Sums, Pick<Channel, "id" | "kind" | "name" | "trouble" | "pauseReason"> {
  standing: Standing;
}
interface Sums {
  waiting: number;
  held: number;
  undelivered: number;
  /** When the first job is due that no pause or stop holds back, ms. */
  dueAt?: number;
}

export interface FleetParts {
  store: Pick<Store, "accounts" | "audit" | "channels" | "dead" | "ledger" | "stories" | "vendorEvents">;
  /** The ledger as of the last check, once a minute. */
  checked(): { at: number; rows: LedgerRow[] } | undefined;
}

/** Audit entries shown on an account's page. */
const ACTS = 20;

export function createFleet({ store, checked }: FleetParts): Fleet {
  // A search reads many messages: run one at a time.
  const oneByOne = serialByKey<"search">();
  return {
    async accounts({ text = "", standing }) {
      const read = checked();
      if (!read) return undefined;
      const { at, rows } = read;
      const byAccount = Map.groupBy(rows, ({ accountId }) => accountId);
      const plain = text.trim().toLowerCase();
      const accounts = (await store.accounts.list()).flatMap((account) => {
        const channels = byAccount.get(account.id) ?? [];
        const row = accountRow(account, channels);
        const isAsked =
          account.crmUrl.includes(plain) ||
          [account.id, ...channels.map(({ channelId }) => channelId)].some((id) => id === text.trim());
        return isAsked && (standing === undefined || row.standing === standing) ? [row] : [];
      });
      return { at, accounts: accounts.sort(worstFirst(at)) };
    },
    async account(id) {
      const account = await store.accounts.byId(id);
      if (!account) return undefined;
      const rows = await store.ledger(id);
      const channels = (await store.channels.list(id)).map((channel) => channelRow(channel, rows));
      const acts = await store.audit.list({ accountId: id, limit: ACTS });
      return {
        account: accountRow(account, rows),
        trouble: account.trouble,
        channels: channels.sort(worstFirst(checked()?.at ?? 0)),
        acts,
      };
    },
    async find(text, how) {
      if (text.trim() === "") return { found: [] };
      const looking = { ...how, rows: MAX_SEARCHED };
      const { found, reached } = await oneByOne("search", () => store.stories.findAnywhere(text, looking));
      return { found: await placed(store, exactFirst(found, text)), reached };
    },
    async story(id) {
      const story = await store.stories.ofAny(id);
      const [found] = story ? await placed(store, [story]) : [];
      return found && { ...found, steps: stepsOf(found) };
    },
    undelivered: store.dead.reasons,
    events: store.vendorEvents.list,
    async audit(limit) {
      const owners = new Map<string, string>((await store.accounts.list()).map(({ id, crmUrl }) => [id, crmUrl]));
      const acts = await store.audit.list({ limit });
      return acts.map((act) => ({ ...act, crmUrl: act.accountId && owners.get(act.accountId) }));
    },
  };
}

const URGENCY: Standing[] = ["stopped", "troubled", "off", "paused", "working", "removed"];
const rank = (standing: Standing) => URGENCY.indexOf(standing);

/** Sorts by urgency, then by the number of undelivered messages. */
const worstFirst = (now: number) => {
  // Slow rows rank right after troubled ones.
  const urgency = ({ standing, dueAt }: Sums & { standing: Standing }) =>
    isSlow(dueAt, now) ? Math.min(rank(standing), rank("troubled") + 0.5) : rank(standing);
  return (one: Sums & { standing: Standing }, other: Sums & { standing: Standing }) =>
    urgency(one) - urgency(other) || other.undelivered + other.held - one.undelivered - one.held;
};

function accountRow(account: Account, rows: LedgerRow[]): AccountRow {
  const { id, crmUrl, trouble, pauseReason, limits } = account;
  const present = rows.filter(({ standing }) => standing !== "removed");
  const row = { id, crmUrl, pauseReason, limits, channels: present.length, ...sumOf(rows) };
  // A pause overrides the channels' standings, which may be outdated.
  if (pauseReason !== undefined) return { ...row, standing: "paused", dueAt: undefined };
  const worst = present.map(({ standing }) => standing).sort((one, other) => rank(one) - rank(other))[0];
  const own: Standing = !works(account) ? "off" : trouble === undefined ? "working" : "troubled";
  return { ...row, standing: worst !== undefined && rank(worst) < rank(own) ? worst : own };
}

function channelRow(channel: Channel, rows: LedgerRow[]): ChannelRow {
  const { id, kind, name, trouble, pauseReason } = channel;
  const own = rows.filter(({ channelId }) => channelId === id);
  const state = shownState(channel);
  const standing = own[0]?.standing ?? (state === "active" ? "working" : state);
  return { id, kind, name, trouble, pauseReason, standing, ...sumOf(own) };
}

function sumOf(rows: LedgerRow[]): Sums {
  const sum = (value: (row: LedgerRow) => number) => rows.reduce((all, row) => all + value(row), 0);
  const due = rows.flatMap(({ dueAt }) => dueAt ?? []);
  return {
    waiting: sum(({ waiting, held }) => waiting - held),
    held: sum(({ held }) => held),
    undelivered: sum(({ undelivered }) => undelivered),
    dueAt: due.length > 0 ? Math.min(...due) : undefined,
  };
}

/** Validates a filter's value; undefined if it is no standing. */
export const standingIn = (text: string | undefined): Standing | undefined => STANDINGS.find((each) => each === text);
