import { Api as Grammy } from "grammy";
import { Api as NodeApi } from "node-telegram-bot-api";
import { Telegram as Telegraf } from "telegraf";
import { beforeAll, describe, expect, it } from "vitest";
import { SERVED_METHODS } from "../../../emulator/catalogue.ts";
import { HARBOUR_BOT_TOKEN } from "../../../emulator/telegram.ts";
import { ANSWERS } from "./answers.ts";
import { GRAMMY_CALLS } from "./grammy.ts";
import { NODE_CALLS } from "./node-telegram-bot-api.ts";
import { createScene, type Scene } from "./scene.ts";
import { TELEGRAF_CALLS, TELEGRAF_NAMES } from "./telegraf.ts";

type Calls<C> = Readonly<Record<string, (client: C, scene: Scene) => Promise<unknown>>>;

/** Checks that the client's list covers all served methods it has, and that each works. */
function proves<C extends object>(
  prototype: C,
  calls: Calls<C>,
  connect: (apiRoot: string) => C,
  names: Readonly<Record<string, string>> = {},
): void {
  let scene: Scene;
  let client: C;
  beforeAll(async () => {
    scene = await createScene();
    client = connect(scene.origin);
    return scene.close;
  });

  it("covers every served method that it knows", () => {
    const known = SERVED_METHODS.filter((method) => (names[method] ?? method) in prototype);
    expect(Object.keys(calls).sort()).toEqual([...known].sort());
  });

  it.each(Object.entries(calls))("%s", async (method, call) => {
    const answer = await call(client, scene);
    const wanted = ANSWERS[method];
    if (typeof wanted === "object") expect(answer).toMatchObject(wanted as object);
    else expect(answer).toBe(wanted);
    const entries = scene.telegram.calls.list().entries.filter((each) => each.method === method);
    expect(entries.at(-1)).toMatchObject({ status: 200, faults: [] });
  });
}

describe("grammY", () => {
  proves(Grammy.prototype, GRAMMY_CALLS, (apiRoot) => new Grammy(HARBOUR_BOT_TOKEN, { apiRoot }));
});
describe("Telegraf", () => {
  const connect = (apiRoot: string) => new Telegraf(HARBOUR_BOT_TOKEN, { apiRoot });
  proves(Telegraf.prototype, TELEGRAF_CALLS, connect, TELEGRAF_NAMES);
});
describe("node-telegram-bot-api", () => {
  proves(NodeApi.prototype, NODE_CALLS, (apiRoot) => new NodeApi(HARBOUR_BOT_TOKEN, { apiRoot }));
});

it("every method's answer is listed", () => {
  expect(Object.keys(ANSWERS).sort()).toEqual([...SERVED_METHODS].sort());
});
