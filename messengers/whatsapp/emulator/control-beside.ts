import { readBody } from "gangway-meta/emulator/control";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { addGroup, missCall, shareNumber, writeInGroup } from "./beside-messages.ts";
import type { Network } from "./network.ts";
import { type Chat, chatOf } from "./world.ts";

/** Groups, calls, and numbers that are given, as JSON. Of the first number. */
export function besideControl(network: Network): Hono {
  const { world } = network;
  const api = new Hono();
  const chatWith = (n: number): Chat => {
    const [number] = world.numbers.values();
    const customer = world.customers.find((each) => each.n === n);
    if (!number || !customer) throw new Error("There is no such customer");
    return chatOf(world, number, customer);
  };
  const named = (c: Context) => c.req.param("id") ?? "";
  api.post("/groups", async (c) => {
    const { id } = await readBody(c, z.strictObject({ id: z.string().min(1) }));
    addGroup(network, id);
    return c.json({ id });
  });
  api.post("/groups/:id/messages", async (c) => {
    const { customer, text } = await readBody(c, z.strictObject({ customer: z.int(), text: z.string() }));
    const group = world.groups.get(named(c));
    if (!group) throw new Error("There is no such group");
    await writeInGroup(network, chatWith(customer), group, { type: "text", text: { body: text } });
    return c.json({});
  });
  api.post("/customers/:n/missed-call", async (c) => {
    await missCall(network, chatWith(Number(c.req.param("n"))));
    return c.json({});
  });
  api.post("/messages/:id/share", async (c) => {
    const found = world.messages.get(named(c));
    if (!found) throw new Error("There is no such message");
    return c.json({ id: (await shareNumber(network, found.chat, found.message)).id });
  });
  return api;
}
