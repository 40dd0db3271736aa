import type { HttpBindings } from "@hono/node-server";
import type { CreateEmulator } from "gangway-messenger/kit/emulator";
import type { Fault } from "gangway-messenger/kit/emulator/faults";
import { answerWithFault } from "gangway-messenger/kit/emulator/faulty-answer";
import { type Context, Hono } from "hono";

/** Whether a network's calls and webhooks fail, and how many did. */
export interface Weather {
  isBad: boolean;
  random(): number;
  disturbed: number;
}

/** One call or webhook in this many fails. */
const ONE_IN = 12;
/** In this order, so that even a short run has answers that got lost: they are what a copy comes from. */
const FAULTS: Fault[] = [
  { drop: "after" },
  { status: 503 },
  { status: 502, body: "html", when: "after" },
  { drop: "before" },
  { delayMs: 800 },
];
/** Pages for people, and switches, which belong to no network. */
const ASIDE = /^\/(phone|control|console)\b/;

/** The same network on a bad line: calls of the module and webhooks to it are cut, lost, late, refused by a proxy or doubled. */
export function inWeather(create: CreateEmulator, weather: Weather): CreateEmulator {
  const fails = () => {
    const does = weather.isBad && weather.random() * ONE_IN < 1;
    if (does) weather.disturbed += 1;
    return does;
  };
  let failedCalls = 0;
  return (options) => {
    const emulator = create({
      ...options,
      async deliver(request) {
        if (!fails()) return options.deliver(request);
        const roll = weather.random();
        if (roll < 0.3) throw new Error("the connection was refused");
        const again = request.clone();
        const answer = await options.deliver(request);
        if (roll < 0.6) throw new Error("the answer was lost");
        return roll < 0.8 ? options.deliver(again) : answer;
      },
    });
    const site = new Hono();
    site.all("*", async (c) => {
      const path = c.req.path.slice(new URL(options.origin()).pathname.length);
      const carryOut = () => emulator.site.fetch(inner(c, path), c.env);
      if (ASIDE.test(path) || !fails()) return carryOut();
      const fault = FAULTS[failedCalls++ % FAULTS.length] ?? {};
      return answerWithFault(fault, {
        carryOut,
        cut: () => void (c.env as HttpBindings | undefined)?.incoming?.socket.destroy(),
        gone: c.req.raw.signal,
        refusal: () => "",
      });
    });
    return { ...emulator, site };
  };
}

/** The request as the emulator's site has its paths. */
function inner(c: Context, path: string): Request {
  const url = new URL(c.req.url);
  url.pathname = path || "/";
  const { method, headers, body, signal } = c.req.raw;
  return new Request(url, { method, headers, signal, ...(body && { body, duplex: "half" }) } as RequestInit);
}
