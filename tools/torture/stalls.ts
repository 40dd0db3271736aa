import { freePort, type RunningSandbox, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { type Phones, phonesAt } from "gangway-sandbox/demo/phone";
import { type Server, type ServerOptions, startServer } from "gangway-sandbox/demo/server";
import { addBot, connectThroughForm } from "gangway-sandbox/demo/set-up";
import { pause, until } from "gangway-sandbox/demo/waiting";
import { atLeast, atMost, type Figure } from "./figure.ts";
import { createTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import type { Trial, TrialContext } from "./trial.ts";

/** Requests per token in any second: the contract's limit, and the rate to reach under overload. */
const [MAX_PER_SECOND, MIN_PER_SECOND] = [30, 26];
/** On PostgreSQL, where four of the thirty are for processes that do not work for the account. */
const MIN_ON_POSTGRES = 22;
/** A proxy may hold a request long after the server has given up on it. */
const SHORT_STALLS_S = [1, 5, 33];
const LONG_STALLS_S = [1, 5, 33, 66, 300];
/** Messages always waiting, and the chats they are spread over. */
const BACKLOG = 120;
const CHATS = 40;
/** More concurrent calls than permits, so that only the permits limit them. */
const CALLS = { CALLS: "512", CALLS_PER_ACCOUNT: "64" };
const TOP_UP_MS = 100;
const [RAMP_MS, AFTER_MS] = [2_000, 4_000];
const SECOND_MS = 1_000;
/** The server is killed during stalls up to this length, and this long after they begin. */
const SHORT_S = 5;
const KILL_AFTER_MS = 1_500;

/** An account whose requests to the gateway pass a stalling proxy. */
export interface Route {
  stallS: number;
  crm: RunningSandbox;
  proxy: TcpProxy;
  bot: number;
  people: number[];
  said: number;
  arrivals: number[];
}

/** Requests held by a proxy arrive at once; even then no second exceeds the token's limit. */
export const stalls: Trial = {
  name: "stalls",
  async run(context): Promise<Figure[]> {
    const { routes, server, phones, close } = await openRoutes(context, [
      0,
      ...(context.short ? SHORT_STALLS_S : LONG_STALLS_S),
    ]);
    const talk = keepTalking(routes, phones);
    try {
      await pause(RAMP_MS);
      await restart(server, "SIGKILL");
      await working(routes);
      const quiet = await stall(routes);
      await restart(server, "SIGTERM");
      // Requests of the killed process are held too and arrive along with the next one's.
      await Promise.all([stall(routes.filter(({ stallS }) => stallS > 0 && stallS <= SHORT_S)), killWithin(server)]);
      context.injected("stalls of the network", routes.length + 1);
      const least = context.env.DATABASE_URL === undefined ? MIN_PER_SECOND : MIN_ON_POSTGRES;
      return [
        ...routes.map(({ stallS, arrivals }) =>
          atMost(
            "P12",
            `requests in one second, ${stallS === 0 ? "no stall" : `a stall of ${stallS} s`}, with restarts`,
            busiest(arrivals),
            MAX_PER_SECOND,
          ),
        ),
        atLeast("P12", "requests a second at twice the load, no stall", quiet, least / context.slack),
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

/** On PostgreSQL whoever comes after a killed process waits until its leases have ended. */
async function working(routes: Route[]): Promise<void> {
  const before = routes.map(({ arrivals }) => arrivals.length);
  await until("calls for each account", () => routes.every(({ arrivals }, n) => arrivals.length > (before[n] ?? 0)));
  await pause(RAMP_MS);
}

async function killWithin(server: Server): Promise<void> {
  await pause(KILL_AFTER_MS);
  await restart(server, "SIGKILL");
}

/** Stalls all routes at once; returns the request rate of the unstalled one. */
async function stall(routes: Route[]): Promise<number> {
  const quiet = routes.find(({ stallS }) => stallS === 0);
  const began = Date.now();
  const before = quiet?.arrivals.length ?? 0;
  await Promise.all(routes.map(({ proxy, stallS }) => stallS > 0 && proxy.hold(pause(stallS * SECOND_MS))));
  await pause(AFTER_MS);
  return ((quiet?.arrivals.length ?? 0) - before) / ((Date.now() - began) / SECOND_MS);
}

export function busiest(arrivals: number[]): number {
  let max = 0;
  let first = 0;
  for (const [n, at] of arrivals.entries()) {
    while ((arrivals[first] ?? at) <= at - SECOND_MS) first += 1;
    max = Math.max(max, n - first + 1);
  }
  return max;
}

/** `serve`: starts the server, or several that share the work (default: one in a process of its own). */
export async function openRoutes(
  context: TrialContext,
  stallsS: number[],
  serve: (options: ServerOptions) => Promise<Server> = startServer,
) {
  const network = await serveSandbox({ port: 0 });
  const phones = phonesAt(`${network.origin}/telegram`);
  const env = { ...context.env, ...CALLS, TELEGRAM_API_URL: `${network.origin}/telegram` };
  const start = { port: await freePort(0), dataFolder: context.folder(), env, main: context.program() };
  const server = await serve(start);
  const routes: Route[] = [];
  const close = async () => {
    await server.kill("SIGKILL");
    for (const { crm, proxy } of routes) await Promise.all([crm.close(), proxy.close()]);
    await network.close();
  };
  try {
    for (const [n, stallS] of stallsS.entries()) routes.push(await openRoute(server, phones, n, stallS));
    return { routes, server, phones, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openRoute(server: Server, phones: Phones, n: number, stallS: number): Promise<Route> {
  const proxy = await createTcpProxy();
  const port = await freePort(0);
  proxy.target(port);
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

/** Keeps a backlog waiting on every route. */
export function keepTalking(routes: Route[], phones: Phones) {
  const topUp = () => {
    for (const route of routes) {
      const waiting = route.said - route.crm.sandbox.world.messages.length;
      for (let n = waiting; n < BACKLOG; n++) void say(route, phones);
    }
  };
  const timer = setInterval(topUp, TOP_UP_MS);
  return { stop: () => clearInterval(timer) };
}

async function say(route: Route, phones: Phones): Promise<void> {
  const n = route.said++;
  await phones.say(route.people[n % CHATS] ?? 0, route.bot, { text: `message ${n}` }).catch(() => undefined);
}
