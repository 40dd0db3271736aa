import { newId } from "../../domain/ids.ts";
import { run, type Work } from "./engine.ts";

// Whether unused space of the database may still hold what was erased. Stored, so that a crash cannot forget it.

const OWE = `INSERT INTO meta (key, value) VALUES ('traces', @mark)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Within a write that erases. */
export const oweTraces = (): Work<void> => run(OWE, { mark: newId<string>() });
