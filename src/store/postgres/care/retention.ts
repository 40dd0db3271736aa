import type { ExpiringNotes, Retention } from "../../care.ts";
import * as shared from "../../tables/care/retention.ts";
import { all, type Engine } from "../../tables/engine.ts";
import { dropChunks } from "../files/kept-chunks.ts";
import type { KeptObjects } from "../files/kept-objects.ts";

/** Conditions as in the partial indexes. */
const OLDEST_LIVE = `SELECT channel_id AS channel, min(created_at) AS at FROM (
    SELECT channel_id, created_at FROM message WHERE state IN ('ready','sending','waiting')
    UNION ALL SELECT channel_id, created_at FROM message
      WHERE (state IN ('held','dead') OR ack = 'refused') AND state = 'held'
  ) AS live GROUP BY channel_id`;
/** Chunks come before their row: a young one may still get one. */
const ORPHANED = `created_at < @before
  AND NOT EXISTS (SELECT 1 FROM kept_file WHERE kept_file.id = kept_chunk.file_id)`;
const ORPHANS = `SELECT DISTINCT file_id AS id FROM kept_chunk WHERE ${ORPHANED}`;

export const retention = (engine: Engine, objects?: KeptObjects, notes?: ExpiringNotes[]): Retention =>
  shared.retention({
    ...{ engine, notes, oldestLive: OLDEST_LIVE },
    sweepFolder: async (before) => {
      const files = await engine.read(() => all<{ id: string }>(ORPHANS, { before }));
      const ids = files.map(({ id }) => id);
      const swept = ids.length === 0 ? 0 : (await dropChunks(engine, ids, ORPHANED, { before })).size;
      return swept + ((await objects?.sweep(before)) ?? 0);
    },
  });
