import { freePort, type RunningSandbox, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { type Phones, phonesAt } from "../demo/phone.ts";
import { type Server, startServer } from "../demo/server.ts";
import { addBot, connectThroughForm } from "../demo/set-up.ts";
import { pause } from "../waiting.ts";
import { atLeast, atMost, type Figure } from "./figure.ts";
import { createTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import type { Bench, Trial } from "./trial.ts";

/** Requests that a token has in any second, and those that it must use when there is more to do than it may, a second. */
const [MOST, LEAST] = [30, 26];
/** A minute or five: as a proxy may hold what has been given up long since. */
const SHORT_STALLS_S = [1, 5, 33];
const LONG_STALLS_S = [1, 5, 33, 66, 300];
/** So much more than a token may is always waiting, and so many chats it is in. */
const BACKLOG = 120;
const CHATS = 40;
/** Calls at once: more than a token has permits, so that nothing but these bounds them. */
const CALLS = { CALLS: "512", CALLS_PER_ACCOUNT: "64" };
const TOP_UP_MS = 100;
const [RAMP_MS, AFTER_MS] = [2_000, 4_000];
const SECOND_MS = 1_000;
/** The stalls in which the server dies: those that last so long, and when. */
const SHORT_S = 5;
const KILL_AFTER_MS = 1_500;

/** An account behind a proxy that holds what is sent to its gateway. */
interface Line {
  stallS: number;
  crm: RunningSandbox;
  proxy: TcpProxy;
  bot: number;
  people: number[];
  said: number;
  /** When each request came to the gateway, ms. */
  arrivals: number[];
}

/** What a proxy has held for a while arrives at once: then, too, no second has more requests than a token may make. */
export const stalls: Trial = {
  name: "stalls",
  async run(bench): Promise<Figure[]> {
    const { lines, server, phones, close } = await openLines(bench, [
      0,
      ...(bench.short ? SHORT_STALLS_S : LONG_STALLS_S),
    ]);
    const talk = keepTalking(lines, phones);
    try {
      await pause(RAMP_MS);
      await restart(server, "SIGKILL");
      const quiet = await stall(lines);
      await restart(server, "SIGTERM");
      // What the dead process has sent is held, too, and comes with what the next one sends.
      await Promise.all([stall(lines.filter(({ stallS }) => stallS > 0 && stallS <= SHORT_S)), killWithin(server)]);
      bench.injected("stalls of the network", lines.length + 1);
      return [
        ...lines.map(({ stallS, arrivals }) =>
          atMost(
            "P12",
            `requests in one second, ${stallS === 0 ? "no stall" : `a stall of ${stallS} s`}, with restarts`,
            busiest(arrivals),
            MOST,
          ),
        ),
        atLeast("P12", "requests a second at twice the load, no stall", quiet, LEAST),
      ];
    } finally {
      talk.stop();
      await close();
    }
  },
};

async function restart(server: Server, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  await server.kill(signal);
  await server.start();
  await pause(RAMP_MS);
}

async function killWithin(server: Server): Promise<void> {
  await pause(KILL_AFTER_MS);
  await restart(server, "SIGKILL");
}

/** All at once; gives the rate of the line that has none meanwhile. */
async function stall(lines: Line[]): Promise<number> {
  const quiet = lines.find(({ stallS }) => stallS === 0);
  const began = Date.now();
  const before = quiet?.arrivals.length ?? 0;
  await Promise.all(lines.map(({ proxy, stallS }) => stallS > 0 && proxy.hold(stallS * SECOND_MS)));
  await pause(AFTER_MS);
  return ((quiet?.arrivals.length ?? 0) - before) / ((Date.now() - began) / SECOND_MS);
}

/** The most in any window of a second, wherever it begins. */
export function busiest(arrivals: number[]): number {
  let most = 0;
  let first = 0;
  for (const [n, at] of arrivals.entries()) {
    while ((arrivals[first] ?? at) <= at - SECOND_MS) first += 1;
    most = Math.max(most, n - first + 1);
  }
  return most;
}

async function openLines(bench: Bench, stallsS: number[]) {
  const network = await serveSandbox({ port: 0 });
  const phones = phonesAt(`${network.origin}/telegram`);
  const env = { ...bench.env, ...CALLS, TELEGRAM_API_URL: `${network.origin}/telegram` };
  const start = { port: await freePort(0), dataFolder: bench.folder(), env, main: bench.program() };
  const server = await startServer(start);
  const lines: Line[] = [];
  const close = async () => {
    await server.kill("SIGKILL");
    for (const { crm, proxy } of lines) await Promise.all([crm.close(), proxy.close()]);
    await network.close();
  };
  try {
    for (const [n, stallS] of stallsS.entries()) lines.push(await openLine(server, phones, n, stallS));
    return { lines, server, phones, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openLine(server: Server, phones: Phones, n: number, stallS: number): Promise<Line> {
  const proxy = await createTcpProxy();
  const port = await freePort(0);
  proxy.lead(port);
  const crm = await serveSandbox({ port, url: proxy.origin });
  const arrivals: number[] = [];
  crm.sandbox.observe(({ side, at }) => side === "gateway" && arrivals.push(at));
  const bot = await phones.newBot(`stall_${n}_bot`, `Stall ${n}`);
  const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
  await addBot(visit, { name: bot.username, token: bot.token, updates: "polling" });
  const people: number[] = [];
  for (let p = 0; p < CHATS; p++) people.push((await phones.newPerson({ firstName: `Customer ${n}-${p}` })).id);
  return { stallS, crm, proxy, bot: bot.id, people, said: 0, arrivals };
}

/** Customers always have more to say than may leave. */
function keepTalking(lines: Line[], phones: Phones) {
  const topUp = () => {
    for (const line of lines) {
      const waiting = line.said - line.crm.sandbox.world.messages.length;
      for (let n = waiting; n < BACKLOG; n++) void say(line, phones);
    }
  };
  const timer = setInterval(topUp, TOP_UP_MS);
  return { stop: () => clearInterval(timer) };
}

async function say(line: Line, phones: Phones): Promise<void> {
  const n = line.said++;
  await phones.say(line.people[n % CHATS] ?? 0, line.bot, { text: `message ${n}` }).catch(() => undefined);
}
