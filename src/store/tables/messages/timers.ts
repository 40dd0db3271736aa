import { run, type Verb } from "../engine.ts";

/** The wait that was left when the row was written, from now on. */
const left = (time: string) => `${time} = @now + CASE WHEN ${time} > updated_at THEN ${time} - updated_at ELSE 0 END`;
// Conditions as in the partial indexes.
const MESSAGES = `UPDATE message SET ${left("run_at")}, ${left("deadline_at")}, updated_at = @now,
    created_at = CASE WHEN created_at < @now THEN created_at ELSE @now END
  WHERE state IN ('ready','sending','waiting') AND updated_at > @now`;
const ACKS = `UPDATE message SET ${left("ack_at")}, ${left("ack_deadline_at")}, updated_at = @now
  WHERE ack IN ('due','sending') AND updated_at > @now`;
const RESTS = "UPDATE account SET rest_until = @latest WHERE rest_until > @latest";

/** Before the clock is set forward by `by` ms: what waits keeps its time until its deadline. Reads every live job. */
export function* extendDeadlines(by: number): Verb<void> {
  yield* run(`UPDATE message SET deadline_at = deadline_at + @by WHERE state IN ('ready','sending','waiting')`, { by });
  yield* run(`UPDATE message SET ack_deadline_at = ack_deadline_at + @by WHERE ack IN ('due','sending')`, { by });
}

/**
 * After the wall clock was set back: live messages written in the future keep the wait they had left when written, and no
 * account rests longer than `restMs`. Reads every live job.
 */
export function* rebaseTimers(now: number, restMs: number): Verb<void> {
  yield* run(MESSAGES, { now });
  yield* run(ACKS, { now });
  yield* run(RESTS, { latest: now + restMs });
}
