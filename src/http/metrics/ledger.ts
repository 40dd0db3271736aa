import { type LedgerRow, STANDINGS } from "../../domain/account.ts";
import type { ComparedFigure } from "../../module/health/comparing.ts";
import { type Family, gauge, type Sample } from "./exposition.ts";

export interface Checked {
  /** When the ledger was read, ms. */
  at: number;
  rows: LedgerRow[];
}

const ofEvents = ({ accepted, recovered, delivered, refused, waiting, held, hole }: LedgerRow) => ({
  ...{ accepted, recovered, delivered, refused, waiting, held, hole },
});
const ofAcks = ({ acks: { owed, given, refused, waiting, hole } }: LedgerRow) => ({
  ...{ owed, given, refused, waiting, hole },
});
const inStanding = ({ standing }: LedgerRow) =>
  Object.fromEntries(STANDINGS.filter((each) => each !== "removed").map((each) => [each, each === standing ? 1 : 0]));

/** Sums over all accounts by kind of messenger, so the number of series does not grow with the accounts. */
export function ledgerFamilies({ at, rows }: Checked, compared: ComparedFigure[]): Family[] {
  const kinds = [...Map.groupBy(rows, ({ kind = "removed" }) => kind)];
  const sums = (name: string, help: string, values: (row: LedgerRow) => Record<string, number>): Family => ({
    ...{ name, type: "gauge", help },
    samples: kinds.flatMap(([kind, of]) =>
      summed(of, values).map(([state, value]) => ({ labels: { kind, state }, value })),
    ),
  });
  const byKind = (name: string, help: string, value: (rows: LedgerRow[]) => number): Family => ({
    ...{ name, type: "gauge", help },
    samples: kinds.map(([kind, of]) => ({ labels: { kind }, value: value(of) })),
  });
  const holes = rows.reduce((sum, { hole, acks }) => sum + Math.abs(hole) + Math.abs(acks.hole), 0);
  const upTo = oldest(compared.map((figure) => figure.upTo));
  return [
    sums("events", "Accepted events of all accounts, by what became of them.", ofEvents),
    sums("acks", "Acks owed for agents' messages, by what became of them.", ofAcks),
    sums("channels", "Channels by state.", inStanding),
    byKind("undelivered", "Undelivered messages that somebody may send again or discard.", (of) =>
      of.reduce((sum, { undelivered }) => sum + undelivered, 0),
    ),
    byKind(
      "oldest_due_seconds",
      "How long the oldest job is overdue; held ones, paused and stopped channels, and accounts that are off are left out.",
      (of) => secondsSince(at, oldest(of.map(({ dueAt }) => dueAt))),
    ),
    gauge("ledger_holes", "Events and acks that are missing or counted twice, over all channels; should be 0.", holes),
    gauge("ledger_checked_timestamp_seconds", "Time of the last ledger check.", at / 1000),
    {
      ...{ name: "list_compared_oldest_timestamp_seconds", type: "gauge" },
      help: "Until when each channel whose messenger has a list is compared with it.",
      samples: upTo === undefined ? [] : [{ value: upTo / 1000 }],
    },
  ];
}

function summed(rows: LedgerRow[], values: (row: LedgerRow) => Record<string, number>): [string, number][] {
  const sum: Record<string, number> = {};
  for (const row of rows) for (const [name, value] of Object.entries(values(row))) sum[name] = (sum[name] ?? 0) + value;
  return Object.entries(sum);
}

function oldest(times: (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const time of times) if (time !== undefined && (first === undefined || time < first)) first = time;
  return first;
}

const secondsSince = (now: number, then: number | undefined): number =>
  then === undefined ? 0 : Math.max(0, now - then) / 1000;

/** Series for each channel that is not removed, or that has jobs or held messages left. */
export function channelFamilies({ at, rows }: Checked, compared: ComparedFigure[]): Family[] {
  const shown = rows.filter(({ standing, jobs, held }) => standing !== "removed" || jobs + held > 0);
  const family = (name: string, type: Family["type"], help: string, of: (row: LedgerRow) => number): Family => ({
    ...{ name, type, help },
    samples: samplesOf(shown, of),
  });
  return [
    family("events_accepted_total", "counter", "Accepted events.", (row) => row.accepted),
    family("events_recovered_total", "counter", "Accepted events that no webhook brought.", (row) => row.recovered),
    // A gauge, since a late failure lowers it.
    family("events_delivered", "gauge", "Accepted events that were delivered.", (row) => row.delivered),
    family("events_refused", "gauge", "Accepted events that ended undelivered, with a reason.", (row) => row.refused),
    family("events_waiting", "gauge", "Accepted events that are waiting.", (row) => row.waiting),
    family("events_held", "gauge", "Waiting events that need a person's decision.", (row) => row.held),
    family(
      "ledger_hole",
      "gauge",
      "Accepted, but neither delivered, refused nor waiting; should be 0.",
      (row) => row.hole,
    ),
    family("acks_owed_total", "counter", "Acks owed for agents' messages.", ({ acks }) => acks.owed),
    family("acks_given_total", "counter", "Owed acks that the gateway accepted.", ({ acks }) => acks.given),
    family("acks_refused", "gauge", "Owed acks that the gateway refused.", ({ acks }) => acks.refused),
    family("acks_waiting", "gauge", "Owed acks that are waiting.", ({ acks }) => acks.waiting),
    family("acks_hole", "gauge", "Owed, but neither given, refused nor waiting; should be 0.", ({ acks }) => acks.hole),
    family("jobs_waiting", "gauge", "Live jobs, including acks.", (row) => row.jobs),
    family("job_oldest_seconds", "gauge", "Age of the oldest live job.", (row) => secondsSince(at, row.oldestAt)),
    {
      ...{ name: "channel_info", type: "gauge", help: "Kind and state of each channel; always 1." },
      samples: samplesOf(
        shown,
        () => 1,
        ({ kind = "removed", standing: state }) => ({ kind, state }),
      ),
    },
    // A timestamp, so that a lag shows even when comparing stops.
    {
      ...{ name: "list_compared_timestamp_seconds", type: "gauge" },
      help: "Until when what came is compared with the messenger's list.",
      samples: compared.map(({ accountId, channelId, upTo }) => ({
        labels: { account: accountId, channel: channelId },
        value: upTo / 1000,
      })),
    },
  ];
}

/** Generated lazily while writing: with many channels the series would not fit into memory. */
function* samplesOf(
  rows: LedgerRow[],
  value: (row: LedgerRow) => number,
  more: (row: LedgerRow) => Record<string, string> = () => ({}),
): Generator<Sample> {
  for (const row of rows)
    yield { labels: { account: row.accountId, channel: row.channelId, ...more(row) }, value: value(row) };
}
