import { setMaxListeners } from "node:events";
import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { Hono } from "hono";
import { botApi } from "./bot-api.ts";
import { type Calls, createCalls } from "./calls.ts";
import { controlApi } from "./control-api.ts";
import { createCourier } from "./courier.ts";
import { createFaults, type Faults } from "./faults.ts";
import { createFloods, type Floods, type Limits } from "./floods.ts";
import { createPhone, type Phone } from "./phone.ts";
import { phoneApi } from "./phone-api.ts";
import { carryOutAnswer } from "./webhook-answers.ts";
import { clearWorld, createWorld, type World } from "./world.ts";

export { HARBOUR_BOT_TOKEN, LIGHTHOUSE_BOT_TOKEN } from "./world.ts";

export interface TelegramOptions {
  /** Own base URL, e.g. http://127.0.0.1:7001/telegram; known only after listening. */
  origin(): string;
  clock: Pick<Clock, "now" | "after">;
  limits?: Partial<Limits>;
  /** Carries webhooks; default: fetch. */
  deliver?(request: Request): Promise<Response>;
  random?: () => number;
}
export interface Telegram {
  site: Hono;
  /** The Bot API alone, for clients that can only set a root. */
  door: ReturnType<typeof botApi>;
  world: World;
  phone: Phone;
  calls: Calls;
  floods: Floods;
  faults: Faults;
  /** Resets to the initial state: two bots, two people, no messages, no faults. */
  clear(): void;
  stop(): void;
}

/** Emulates Telegram: Bot API over HTTP, people's phones, control API. */
export function createTelegram({
  origin,
  clock,
  limits = {},
  random = Math.random,
  deliver,
}: TelegramOptions): Telegram {
  const world = createWorld(clock, random);
  const floods = createFloods(world, limits);
  const faults = createFaults(clock.now, random);
  const calls = createCalls();
  const phone = createPhone(world);
  const end = new AbortController();
  // One listener per long poll.
  setMaxListeners(0, end.signal);
  const parts = { world, floods, faults, calls, ended: end.signal };
  const courier = createCourier(world, faults, (bot, answer) => void carryOutAnswer(parts, bot, answer), deliver);
  const watchAll = () => {
    for (const bot of world.bots.values()) courier.watch(bot);
  };
  const clear = () => {
    clearWorld(world);
    floods.clear();
    faults.clear();
    calls.clear();
    watchAll();
  };
  watchAll();
  const door = botApi(parts);
  const site = new Hono();
  site.get("/", (c) => c.json({ apiRoot: origin() }));
  site.route("/phone/api", phoneApi({ world, phone, watch: courier.watch, ended: end.signal }));
  site.route("/control", controlApi({ ...parts, clear }));
  site.route("/", door);
  site.notFound((c) => c.json({ ok: false, error_code: 404, description: "Not Found" }, 404));
  const stop = () => {
    end.abort();
    courier.stop();
    world.files.close();
  };
  return { site, door, world, phone, calls, floods, faults, clear, stop };
}
