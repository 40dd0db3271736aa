import type { Job, Verdict } from "../../domain/delivery.ts";
import type { Perform } from "./jobs.ts";

/** Counts delivery attempts: those in flight, and results since the start. */
export interface Meter {
  perform: Perform;
  read(): MeterReading;
}
export interface MeterReading {
  inFlight: number;
  attempts: { direction: Job["direction"]; verdict: Verdict["type"] | "done"; count: number }[];
}

export function createMeter(perform: Perform, verdictOf: (job: Job, error: unknown) => Verdict): Meter {
  let inFlight = 0;
  const counted = new Map<string, MeterReading["attempts"][number]>();
  const count = ({ direction }: Job, verdict: Verdict["type"] | "done") => {
    const known = counted.get(`${direction} ${verdict}`) ?? { direction, verdict, count: 0 };
    known.count += 1;
    counted.set(`${direction} ${verdict}`, known);
  };
  return {
    async perform(job, signal, excuse) {
      inFlight += 1;
      try {
        const outcome = await perform(job, signal, excuse);
        // A postponed job was not attempted.
        if (!("postponedMs" in outcome)) count(job, "done");
        return outcome;
      } catch (error) {
        count(job, verdictOf(job, error).type);
        throw error;
      } finally {
        inFlight -= 1;
      }
    },
    read: () => ({ inFlight, attempts: [...counted.values()] }),
  };
}
