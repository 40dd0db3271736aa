import { becomes, pause } from "gangway-sandbox/demo/waiting";
import { atLeast, atMost, type Figure } from "../figure.ts";
import { shuffled } from "../pairwise.ts";
import { busiest, keepTalking, openRoutes, type Route } from "../stalls.ts";
import type { Trial } from "../trial.ts";
import { openDatabase } from "./database.ts";
import { type Fleet, type Member, startFleet } from "./fleet.ts";
import { SIZE } from "./losses.ts";
import { type Witness, witnessOf } from "./witness.ts";

/** Requests per token in any second: the contract's limit, and what shows that the account calls as fast as it may. */
export const MAX_PER_SECOND = 30;
const BUSY_PER_SECOND = 20;
const ACCOUNTS = 2;
const RAMP_MS = 2_000;
const ROUNDS_LONG = 5;
/** Stalls outlast the lease of the process that dies in them, s; when it dies, ms. */
const STALL_S = { short: 20, long: 66 };
const KILL_AFTER_MS = 1_500;

/** Accounts that call as fast as they may change hands: neither process knows of the other's last calls. */
export const handedOver: Trial = {
  name: "accounts handed over",
  async run(context): Promise<Figure[]> {
    const { random, folder, short, print, injected } = context;
    const database = await openDatabase();
    const witness = witnessOf(database.url);
    let fleet: Fleet | undefined;
    try {
      const url = (port: number) => `postgres://gangway@127.0.0.1:${port}/postgres`;
      const more = { size: SIZE, database: { port: database.port, url }, random, folder, prepared: witness.prepare };
      const stalls = Array.from({ length: ACCOUNTS }, () => 0);
      const { routes, phones, close } = await openRoutes(context, stalls, async (start) => {
        fleet = await startFleet({ ...start, ...more });
        return fleet;
      });
      const { members } = fleet as Fleet;
      const talk = keepTalking(routes, phones);
      try {
        await pause(RAMP_MS);
        const before = await witness.takings();
        const busy = () => holderOf(members, witness);
        for (let n = 0; n < (short ? 1 : ROUNDS_LONG); n++) {
          for (const member of short ? [await busy()] : shuffled(members, random))
            await restart(fleet as Fleet, member);
          await dieInStall(routes, await busy(), STALL_S[short ? "short" : "long"]);
          injected("accounts handed over", 2);
        }
        const takings = (await witness.takings()) - before;
        print(`${takings} times an account was taken`);
        return figuresOf(routes, takings, context.slack);
      } finally {
        talk.stop();
        await close();
      }
    } finally {
      await database.stop();
    }
  },
};

/** One that works for an account. */
export async function holderOf(members: Member[], { ownersOf, leases }: Witness): Promise<Member> {
  let holder: Member | undefined;
  const isFound = await becomes(async () => {
    const owners = await Promise.all(members.map(({ name }) => ownersOf(name)));
    holder = members.find((_, n) => owners[n]?.length !== 0);
    return holder !== undefined;
  });
  if (isFound) return holder as Member;
  const said = members.map(
    ({ name, lines, ends }) => `${name} ended ${ends().length} times: ${lines.slice(-5).join("\n")}`,
  );
  throw new Error(["nobody works for an account", JSON.stringify(await leases()), ...said].join("\n"));
}

function figuresOf(routes: Route[], takings: number, slack: number): Figure[] {
  const seconds = routes.map(({ arrivals }) => busiest(arrivals));
  return [
    atLeast("P26", "accounts taken over from another process", takings, ACCOUNTS),
    atMost("P26", "most requests of a token in one second, over all processes", Math.max(...seconds), MAX_PER_SECOND),
    atLeast("P26", "the same, of the account with the fewest", Math.min(...seconds), BUSY_PER_SECOND / slack),
  ];
}

async function restart(fleet: Fleet, member: Member): Promise<void> {
  fleet.admit(member, false);
  await member.kill("SIGTERM");
  await member.start();
  fleet.admit(member, true);
  await pause(RAMP_MS);
}

/** Its requests are held, and arrive along with those of whoever takes its accounts. */
async function dieInStall(routes: Route[], member: Member, seconds: number): Promise<void> {
  const die = async () => {
    await pause(KILL_AFTER_MS);
    await member.kill("SIGKILL");
    await member.start();
  };
  await Promise.all([...routes.map(({ proxy }) => proxy.hold(pause(seconds * 1_000))), die()]);
  await pause(RAMP_MS);
}
