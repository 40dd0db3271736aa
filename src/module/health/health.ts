import { dateFormat } from "gangway-messenger/language";
import { type Account, isOn, isSlow, type LedgerRow } from "../../domain/account.ts";
import { type Channel, shownState } from "../../domain/channel.ts";
import type { ChannelTraffic } from "../../store/accounts.ts";
import { type Failing, failingOf } from "./failing.ts";
import { unusualSilence } from "./silence.ts";

/**
 * A channel's health in one word: the first that holds, worst first. `stopped` and `paused` rest until a person acts:
 * credentials are dead, or the merchant or vendor paused (earlier troubles are checked only after resuming). `failing`
 * loses messages, `troubled` may. `off` (the account) ranks below these, since whoever switches it on must see them.
 * `slow` and `quiet` may pass by themselves; `slow` is observed, `quiet` inferred. `new` has had no message that proves
 * it is `working`.
 */
const WORST_FIRST = ["stopped", "paused", "failing", "troubled", "off", "slow", "quiet", "new", "working"] as const;
export type Word = (typeof WORST_FIRST)[number];

export interface Health {
  word: Word;
  /** Set also if the word is a worse one. */
  failing?: Failing;
  /** For `slow`: since when the first message has been due, ms. */
  waitsSince?: number;
  /** For `quiet`: since when, ms. */
  quietSince?: number;
  /** When the last message from a customer, and from an agent, was accepted, ms. */
  lastInboundAt?: number;
  lastOutboundAt?: number;
  /** The last two weeks, today last, in the account's time zone. */
  days: Day[];
}
export interface Day {
  /** ISO 8601 date. */
  day: string;
  delivered: number;
  failed: number;
}

const DAYS = 14;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Known {
  account: Account;
  channel: Pick<Channel, "state" | "pauseReason" | "trouble">;
  /** The channel's settings do not decrypt. */
  isUnreadable?: boolean;
  ledger?: Pick<LedgerRow, "accepted" | "dueAt">;
  traffic?: Omit<ChannelTraffic, "delivered" | "refused">;
  calendar: Calendar;
  now: number;
}

export function healthOf(known: Known): Health {
  const { calendar, ledger, traffic } = known;
  const { lastInboundAt, lastOutboundAt, hours = [] } = traffic ?? {};
  const quietSince = traffic && unusualSilence(traffic, known.now);
  const failing = failingOf(hours, known.now);
  const word = wordFor(known, { failing, quietSince });
  const days = daysOf(hours, calendar);
  const sinceWhen = word === "slow" ? { waitsSince: ledger?.dueAt } : word === "quiet" ? { quietSince } : {};
  return { word, failing, lastInboundAt, lastOutboundAt, days, ...sinceWhen };
}

function wordFor(
  { account, channel, isUnreadable = false, ledger, now }: Known,
  { failing, quietSince }: Pick<Health, "failing" | "quietSince">,
): Word {
  const [state, { trouble }] = [shownState(channel), channel];
  const holds: Record<Word, boolean> = {
    stopped: state === "stopped",
    failing: failing !== undefined,
    troubled: Boolean(trouble) || isUnreadable,
    off: !isOn(account),
    paused: state === "paused" || account.pauseReason !== undefined,
    slow: isSlow(ledger?.dueAt, now),
    quiet: quietSince !== undefined,
    new: !ledger || ledger.accepted === 0,
    working: true,
  };
  return WORST_FIRST.find((word) => holds[word]) ?? "working";
}

/** The chart's days in one time zone, shared by all channels of a view. */
export interface Calendar {
  /** ISO 8601 dates, today last. */
  days: string[];
  /** The day in which an hour (hours since 1970) begins. */
  dayOf(hour: number): string;
}

export function calendarOf(timeZone = "UTC", now: number): Calendar {
  // Canadian locale formats dates as ISO 8601.
  const format = dateFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  // Sample at noon, so that a change of the clocks skips no day.
  const noon = now - (now % DAY_MS) + DAY_MS / 2;
  const last = format.format(now);
  const names = Array.from({ length: DAYS + 4 }, (_, n) => format.format(noon - (DAYS + 1 - n) * DAY_MS));
  const known = new Map<number, string>();
  return {
    days: [...new Set(names)].filter((day) => day <= last).slice(-DAYS),
    dayOf(hour) {
      const day = known.get(hour) ?? format.format(hour * HOUR_MS);
      known.set(hour, day);
      return day;
    },
  };
}

/** Sums the hours by day. */
function daysOf(hours: ChannelTraffic["hours"], calendar: Calendar): Day[] {
  const days = new Map(calendar.days.map((day) => [day, { day, delivered: 0, failed: 0 }]));
  for (const { hour, delivered, refused } of hours) {
    const day = days.get(calendar.dayOf(hour));
    if (!day) continue;
    day.delivered += delivered;
    day.failed += refused;
  }
  return [...days.values()];
}
