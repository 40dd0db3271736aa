import type { Clock } from "../../domain/clock.ts";
import { DeliveryError, type Postponed } from "../../domain/delivery.ts";
import type { Log } from "../../log.ts";

/**
 * Saves the attempts of jobs whose other side does not answer: they are given back as if they had not been claimed, and one
 * goes now and then to see. It drops nothing: what has a deadline ends by it. Our own, since it has to run on our clock, and
 * jobs have to be given back rather than kept waiting in memory behind the one that tries.
 */
export interface Breakers {
  /** Runs `act`, unless the destination is to be left alone for now. */
  through<T extends object>(to: Destination, act: () => Promise<T>): Promise<T | Postponed>;
}
export interface Destination {
  /** Account and gateway host, or channel. */
  name: string;
  /** "Too many" is meant for all who call it, not for one chat. */
  pausesWhole: boolean;
}

/** Failures in a row that open it, and how often it is tried then, ms (reliability figures). */
const MOST_FAILURES = 10;
const PROBE_MS = 15_000;
/** Jobs that are given back come one after another, at the gateway's own pace of 30 a second, ms. */
const APART_MS = 34;

interface Line {
  failures: number;
  open: boolean;
  /** Nothing goes before, ms. */
  until: number;
  /** When the last one that was given back comes again, ms. */
  last: number;
}

export function createBreakers(clock: Clock, log: Log): Breakers {
  const lines = new Map<string, Line>();
  const lineOf = (name: string): Line => {
    const line = lines.get(name) ?? { failures: 0, open: false, until: 0, last: 0 };
    lines.set(name, line);
    return line;
  };
  const answered = (name: string) => {
    if (lines.get(name)?.open) log.info("breaker.closed", { destination: name });
    lines.delete(name);
  };
  const failed = (name: string) => {
    const line = lineOf(name);
    line.failures += 1;
    if (line.failures < MOST_FAILURES) return;
    if (!line.open) log.warn("breaker.opened", { destination: name, failures: line.failures });
    line.open = true;
    line.until = Math.max(line.until, clock.monotonic() + PROBE_MS);
  };
  const judge = ({ name, pausesWhole }: Destination, error: unknown) => {
    if (!(error instanceof DeliveryError) || error.elsewhere) return;
    const { verdict } = error;
    const wish = verdict.type === "retry" ? verdict.afterMs : undefined;
    if (verdict.type === "unsure" || (verdict.type === "retry" && wish === undefined)) return failed(name);
    // A refusal is an answer, too.
    answered(name);
    if (wish !== undefined && pausesWhole) lineOf(name).until = clock.monotonic() + wish;
  };
  return {
    async through(to, act) {
      const line = lines.get(to.name);
      const now = clock.monotonic();
      if (line && line.until > now) {
        line.last = Math.max(line.until, line.last + APART_MS);
        return { postponedMs: line.last - now };
      }
      // This one is to see; the others wait for the next.
      if (line?.open) line.until = now + PROBE_MS;
      try {
        const result = await act();
        if (!("postponedMs" in result)) answered(to.name);
        return result;
      } catch (error) {
        judge(to, error);
        throw error;
      }
    },
  };
}
