import type { ExpiringNotes, Retention } from "../care.ts";
import { all, type Engine } from "../tables/engine.ts";
import * as shared from "../tables/retention.ts";

/** Conditions as in the partial indexes. */
const OLDEST_LIVE = `SELECT channel_id AS channel, min(created_at) AS at FROM (
    SELECT channel_id, created_at FROM message WHERE state IN ('ready','sending','waiting')
    UNION ALL SELECT channel_id, created_at FROM message
      WHERE (state IN ('held','dead') OR ack = 'refused') AND state = 'held'
  ) AS live GROUP BY channel_id`;
/** Chunks come before their row: a young one may still get one. */
const SWEEP = `DELETE FROM kept_chunk WHERE created_at < @before
  AND NOT EXISTS (SELECT 1 FROM kept_file WHERE kept_file.id = kept_chunk.file_id) RETURNING file_id AS id`;

export const retention = (engine: Engine, notes?: ExpiringNotes[]): Retention =>
  shared.retention({
    ...{ engine, notes, oldestLive: OLDEST_LIVE },
    sweepFolder: async (before) => {
      const chunks = await engine.write(() => all<{ id: string }>(SWEEP, { before }));
      return new Set(chunks.map(({ id }) => id)).size;
    },
  });
