import type { Recent } from "../../tables/accounts/traffic.ts";
import { all, type Engine } from "../../tables/engine.ts";

/** Channels whose sums are not those of their newest record. The times of their last messages come with the sums. */
const CHANGED = `SELECT tally.channel_id AS id FROM tally LEFT JOIN LATERAL (
    SELECT delivered, refused FROM traffic WHERE traffic.channel_id = tally.channel_id ORDER BY hour DESC LIMIT 1
  ) AS newest ON true
  WHERE (messages_delivered, messages_refused) IS DISTINCT FROM (newest.delivered, newest.refused)`;

/** Asked of the tables: other processes deliver, too. Outside of the transactions that record: those would conflict with all others. */
export const recentOf = ({ read }: Pick<Engine, "read">): Recent => ({
  atOnce: 1,
  take: async () => (await read(() => all<{ id: string }>(CHANGED))).map(({ id }) => [id, {}]),
  putBack: () => undefined,
  last: () => undefined,
});
