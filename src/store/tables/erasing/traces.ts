import { newId } from "../../../domain/ids.ts";
import { first, run, type Verb } from "../engine.ts";

// Whether unused space of the database may still hold what was erased. Stored, so that a crash cannot forget it.

const OWE = `INSERT INTO meta (key, value) VALUES ('traces', @mark)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const OWED = "SELECT value FROM meta WHERE key = 'traces'";
const DONE = "DELETE FROM meta WHERE key = 'traces' AND value = @mark";

/** Within a write that erases. */
export const oweTraces = (): Verb<void> => run(OWE, { mark: newId<string>() });

/** A mark of what is owed, which later erasures change; undefined: nothing. */
export function* owedTraces(): Verb<string | undefined> {
  return (yield* first<{ value: string }>(OWED))?.value;
}

/** Nothing up to the mark is left. */
export const removedTraces = (mark: string): Verb<void> => run(DONE, { mark });
