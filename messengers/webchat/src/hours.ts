import { dateFormat } from "gangway-messenger/language";

/** A time of the week when somebody answers, minutes after Sunday's midnight. */
interface Span {
  from: number;
  to: number;
}

export interface Presence {
  open: boolean;
  /** When that changes, ms; absent: never. */
  changesAt?: number;
}

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const [DAY, WEEK] = [1_440, 7 * 1_440];
const LINE = /^([a-z]{3})(?:\s*-\s*([a-z]{3}))?\s+(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)$/i;

/** A line such as "mon-fri 9:00-18:00"; undefined if invalid. An end before its start is on the next day. */
export function spansIn(line: string): Span[] | undefined {
  const [, first = "", last = first, ...clock] = LINE.exec(line.trim()) ?? [];
  const [begin, end] = [first, last].map((day) => DAYS.indexOf(day.toLowerCase()));
  const [hour = 99, minute = 0, toHour = 99, toMinute = 0] = clock.map(Number);
  const [from, to] = [hour * 60 + minute, toHour * 60 + toMinute];
  if (begin === undefined || end === undefined || begin < 0 || end < 0) return undefined;
  if (minute > 59 || toMinute > 59 || from >= DAY || to > DAY) return undefined;
  const count = ((end - begin + 7) % 7) + 1;
  return Array.from({ length: count }, (_, n) => {
    const day = ((begin + n) % 7) * DAY;
    return { from: day + from, to: day + (to > from ? to : to + DAY) };
  });
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Whether somebody answers now. Without lines, always. */
export function presenceAt(lines: string[], timeZone: string, now: number): Presence {
  const spans = lines.flatMap((line) => spansIn(line) ?? []);
  if (spans.length === 0) return { open: true };
  const minute = minuteOfWeek(timeZone, now);
  const isOpen = (at: number) =>
    spans.some(({ from, to }) => (at >= from && at < to) || (at + WEEK >= from && at + WEEK < to));
  const open = isOpen(minute);
  const edges = spans.flatMap(({ from, to }) => [from, to % WEEK]);
  const waits = edges.map((edge) => (edge - minute + WEEK) % WEEK || WEEK).sort((a, b) => a - b);
  const wait = waits.find((each) => isOpen((minute + each) % WEEK) !== open);
  if (wait === undefined) return { open };
  return { open, changesAt: atMinute(timeZone, now - (now % 60_000) + wait * 60_000, (minute + wait) % WEEK) };
}

/** The time, near `guess`, of this minute of the week there; the clock may have been changed by then. */
function atMinute(timeZone: string, guess: number, minute: number): number {
  const late = (minuteOfWeek(timeZone, guess) - minute + WEEK) % WEEK;
  const mended = guess - (late > WEEK / 2 ? late - WEEK : late) * 60_000;
  // A minute that the clock skips is not found.
  return minuteOfWeek(timeZone, mended) === minute ? mended : guess;
}

function minuteOfWeek(timeZone: string, now: number): number {
  const parts = dateFormat("en-US", {
    ...{ timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  }).formatToParts(now);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return DAYS.indexOf(of("weekday").toLowerCase()) * DAY + Number(of("hour")) * 60 + Number(of("minute"));
}
