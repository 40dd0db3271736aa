import type { Recent } from "../../tables/accounts/traffic.ts";
import type { Database } from "../database/db.ts";

/** From memory. */
export const recentIn = ({ busy }: Pick<Database, "busy">): Recent => ({
  atOnce: Number.POSITIVE_INFINITY,
  async take() {
    const changed = [...busy];
    busy.clear();
    return changed;
  },
  putBack(changed) {
    for (const [id, last] of changed) busy.set(id, { ...last, ...busy.get(id) });
  },
  last: (id) => busy.get(id),
});
