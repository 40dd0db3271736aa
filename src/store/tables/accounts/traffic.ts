import type { ChannelId } from "../../../domain/ids.ts";
import type { Clock } from "../../../domain/time/clock.ts";
import type { ChannelTraffic, Traffic } from "../../traffic.ts";
import { all, type Engine, run } from "../engine.ts";

const HOUR_MS = 3_600_000;
/** Two weeks, and a day for the time zones. */
const KEPT_HOURS = 15 * 24;

const RECORD = `INSERT INTO traffic (channel_id, hour, delivered, refused)
  SELECT channel_id, @hour, messages_delivered, messages_refused FROM tally WHERE channel_id = @channelId
  ON CONFLICT (channel_id, hour) DO UPDATE SET delivered = excluded.delivered, refused = excluded.refused`;
const LAST = `UPDATE tally SET last_inbound_at = coalesce(@inbound, last_inbound_at),
  last_outbound_at = coalesce(@outbound, last_outbound_at) WHERE channel_id = @channelId`;
/** The newest of the old rows stays: the next hour's sums start from it. */
const SWEEP = `DELETE FROM traffic WHERE channel_id = @channelId AND hour < (
  SELECT max(hour) FROM traffic WHERE channel_id = @channelId AND hour < @oldest)`;
const CHANNELS = `SELECT channel.id AS id, messages_delivered AS delivered, messages_refused AS refused,
  last_inbound_at AS inbound, last_outbound_at AS outbound FROM channel
  LEFT JOIN tally ON tally.channel_id = channel.id WHERE channel.account_id = @accountId AND state <> 'removed'`;
const HOURS = "SELECT hour, delivered, refused FROM traffic WHERE channel_id = @id ORDER BY hour";

interface Row {
  id: ChannelId;
  delivered: number | null;
  refused: number | null;
  inbound: number | null;
  outbound: number | null;
}
type Hour = ChannelTraffic["hours"][number];

/** When the last message in each direction was accepted, ms. */
export type LastMessages = Partial<Record<"inbound" | "outbound", number>>;

/** What has changed since the last record. */
export interface Recent {
  /** Takes the channels whose sums have changed. */
  take(): Promise<[channelId: string, last: LastMessages][]>;
  /** Their record failed. */
  putBack(changed: [channelId: string, last: LastMessages][]): void;
  /** What the table does not show yet. */
  last(channelId: string): LastMessages | undefined;
  /** Channels recorded in one transaction. */
  atOnce: number;
}

export function trafficStore({ read, write }: Engine, recent: Recent, clock: Clock): Traffic {
  const hourNow = () => Math.floor(clock.now() / HOUR_MS);
  const record = (changed: [string, LastMessages][]) =>
    write(function* () {
      const [hour, oldest] = [hourNow(), hourNow() - KEPT_HOURS];
      for (const [channelId, { inbound = null, outbound = null }] of changed) {
        yield* run(RECORD, { channelId, hour });
        yield* run(LAST, { channelId, inbound, outbound });
        yield* run(SWEEP, { channelId, oldest });
      }
    });
  return {
    async record() {
      const changed = await recent.take();
      while (changed.length > 0) {
        const some = changed.splice(0, recent.atOnce);
        await record(some).catch((error: unknown) => {
          recent.putBack([...some, ...changed]);
          throw error;
        });
      }
    },
    of: (accountId) =>
      read(function* () {
        const traffic: ChannelTraffic[] = [];
        for (const { id, delivered, refused, inbound, outbound } of yield* all<Row>(CHANNELS, { accountId })) {
          const recorded = yield* all<Hour>(HOURS, { id });
          const now = { hour: hourNow(), delivered: delivered ?? 0, refused: refused ?? 0 };
          const last = recent.last(id);
          traffic.push({
            channelId: id,
            lastInboundAt: last?.inbound ?? inbound ?? undefined,
            lastOutboundAt: last?.outbound ?? outbound ?? undefined,
            hours: endedIn([...recorded.filter(({ hour }) => hour < now.hour), now], now.hour - KEPT_HOURS),
          });
        }
        return traffic;
      }),
  };
}

/** What ended in each hour, from sums at the ends of hours. */
const endedIn = (sums: Hour[], oldest: number): Hour[] =>
  sums
    .map(({ hour, delivered, refused }, n) => ({
      hour,
      // A message sent again takes its refusal back, and one that fails late its delivery.
      delivered: Math.max(0, delivered - (sums[n - 1]?.delivered ?? 0)),
      refused: Math.max(0, refused - (sums[n - 1]?.refused ?? 0)),
    }))
    .filter(({ hour, delivered, refused }) => hour >= oldest && delivered + refused > 0);
