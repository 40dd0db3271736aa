import type { Clock } from "../../../domain/clock.ts";
import type { ChannelId } from "../../../domain/ids.ts";
import type { ChannelTraffic, Traffic } from "../../traffic.ts";
import type { Database } from "../database/db.ts";

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
  last_inbound_at AS inbound, last_outbound_at AS outbound
  FROM channel LEFT JOIN tally ON tally.channel_id = channel.id WHERE channel.account_id = ? AND state <> 'removed'`;
const HOURS = "SELECT hour, delivered, refused FROM traffic WHERE channel_id = ? ORDER BY hour";

interface Row {
  id: ChannelId;
  delivered: number | null;
  refused: number | null;
  inbound: number | null;
  outbound: number | null;
}
type Hour = ChannelTraffic["hours"][number];

export function trafficStore(db: Database, clock: Clock): Traffic {
  const { busy, sqlite } = db;
  const hourNow = () => Math.floor(clock.now() / HOUR_MS);
  return {
    async record() {
      if (busy.size === 0) return;
      const changed = [...busy];
      busy.clear();
      const oldest = hourNow() - KEPT_HOURS;
      const putBack = () => {
        for (const [id, last] of changed) busy.set(id, { ...last, ...busy.get(id) });
      };
      await db.write(() => {
        db.onUndo(putBack);
        for (const [channelId, { inbound = null, outbound = null }] of changed) {
          db.prepared(RECORD).run({ channelId, hour: hourNow() });
          db.prepared(LAST).run({ channelId, inbound, outbound });
          db.prepared(SWEEP).run({ channelId, oldest });
        }
      });
    },
    of: async (accountId) =>
      sqlite
        .prepare<[string], Row>(CHANNELS)
        .all(accountId)
        .map(({ id, delivered, refused, inbound, outbound }) => {
          const recorded = db.prepared(HOURS).all(id) as Hour[];
          const now = { hour: hourNow(), delivered: delivered ?? 0, refused: refused ?? 0 };
          const last = busy.get(id);
          return {
            channelId: id,
            lastInboundAt: last?.inbound ?? inbound ?? undefined,
            lastOutboundAt: last?.outbound ?? outbound ?? undefined,
            hours: endedIn([...recorded.filter(({ hour }) => hour < now.hour), now], now.hour - KEPT_HOURS),
          };
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
