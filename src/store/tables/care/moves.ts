import { StoreError } from "../../store.ts";
import { first, type Verb } from "../engine.ts";

const MARK = "SELECT key, value FROM meta WHERE key IN ('moved', 'moving') ORDER BY key LIMIT 1";

const dated = (value: string) => new Date(Number(value)).toISOString();

export const movedInWords = (value: string): string =>
  `all that was in this database was moved to another on ${dated(value)}: both would send what waits; use the other one, or gangway move to bring it back`;

/** Nothing runs on a database whose rows were moved to another, nor on an unfinished copy. Throws StoreError. */
export function* assertNotMoved(): Verb<void> {
  const mark = yield* first<{ key: string; value: string }>(MARK);
  if (!mark) return;
  throw new StoreError(
    mark.key === "moved"
      ? movedInWords(mark.value)
      : `this database is the unfinished copy that gangway move began on ${dated(mark.value)}: run the same command again`,
  );
}
