import { becomes, pause } from "gangway-sandbox/demo/waiting";
import { atLeast, atMost, type Figure } from "../figure.ts";
import { busiest, keepTalking, openRoutes, type Route } from "../stalls.ts";
import type { Trial, TrialContext } from "../trial.ts";
import { openDatabase } from "./database.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { holderOf, MAX_PER_SECOND } from "./handed-over.ts";
import { witnessOf } from "./witness.ts";

const SIZE = 2;
/** A holder stands still past its lease, and goes on too shortly for what it knows to settle, ms. */
const [STOPPED_MS, CONTINUED_MS, TIMES] = [12_000, 800, 6];
const ROUNDS = { short: 1, long: 4 };
const [RAMP_MS, AFTER_MS] = [2_000, 16_000];
/** Of the stops; whoever has just taken the account may be stopped before it can call. */
const MOST = 0.8;
/** A lease, and what its taker waits for, s. */
const MAX_SILENCE_S = 15;

/** Whoever works for an account is stopped, again and again, while its gateway is healthy. */
export const holdersStopped: Trial = {
  name: "holders stopped",
  async run(context): Promise<Figure[]> {
    const database = await openDatabase();
    const witness = witnessOf(database.url);
    let fleet: Fleet | undefined;
    try {
      const url = (port: number) => `postgres://gangway@127.0.0.1:${port}/postgres`;
      const { random, folder } = context;
      const more = { size: SIZE, database: { port: database.port, url }, random, folder, prepared: witness.prepare };
      const { routes, phones, close } = await openRoutes(context, [0], async (start) => {
        fleet = await startFleet({ ...start, ...more });
        return fleet;
      });
      const { members } = fleet as Fleet;
      const [{ arrivals }] = routes as [Route];
      const talk = keepTalking(routes, phones);
      try {
        await pause(RAMP_MS);
        const stops: number[] = [];
        for (let n = 0; n < TIMES * ROUNDS[context.short ? "short" : "long"]; n++) {
          const holder = await holderOf(members, witness);
          const stop = Date.now();
          stops.push(stop);
          holder.send("SIGSTOP");
          await pause(STOPPED_MS);
          const isTaken = () => arrivals.some((at) => at > stop);
          await becomes(isTaken, MAX_SILENCE_S * context.slack * 1_000 - STOPPED_MS);
          holder.send("SIGCONT");
          await pause(CONTINUED_MS);
          context.injected("holders stopped", 1);
        }
        await pause(AFTER_MS);
        return figuresOf(arrivals, [...stops, Date.now()], context);
      } finally {
        for (const member of members) member.send("SIGCONT");
        talk.stop();
        await close();
      }
    } finally {
      await database.stop();
    }
  },
};

/** `times`: of the stops, and of the end. */
function figuresOf(arrivals: number[], times: number[], { print, slack }: TrialContext): Figure[] {
  /** Of each stop: how long after it the others called, ms. */
  const waits = times.slice(1).map((end, n) => {
    const stop = times[n] ?? end;
    return arrivals.filter((at) => at > stop && at <= end).map((at) => at - stop);
  });
  print(`calls after each stop: ${waits.map(({ length }) => length).join(", ")}`);
  const firsts = waits.map(([first]) => (first === undefined ? "none" : (first / 1_000).toFixed(2)));
  print(`seconds from each stop to the first call: ${firsts.join(", ")}`);
  // Whoever has just taken the account may be stopped before it can call: that silence begins anew.
  const marks = [...times, ...arrivals.filter((at) => at > (times[0] ?? at))].sort((one, other) => one - other);
  const longest = Math.max(...marks.slice(1).map((at, n) => at - (marks[n] ?? at))) / 1_000;
  return [
    atLeast(
      "P24",
      "stops of a holder after which another called",
      waits.filter(({ length }) => length > 0).length,
      waits.length * MOST,
    ),
    atMost("P24", "longest silence toward a healthy gateway", longest, MAX_SILENCE_S * slack, " s"),
    atMost("P26", "most requests of a token in one second, over all processes", busiest(arrivals), MAX_PER_SECOND),
  ];
}
