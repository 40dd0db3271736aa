import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Customers } from "./customers.ts";
import { parseFault } from "./faults.ts";
import type { Platform } from "./platform.ts";
import { type Chat, findMessage } from "./world.ts";

async function readBody<T>(c: Context, form: z.ZodType<T>): Promise<T> {
  const parsed = form.safeParse(await c.req.json().catch(() => undefined));
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  return parsed.data;
}

const said = z.strictObject({
  text: z.string().optional(),
  type: z.string().optional(),
  content: z.record(z.string(), z.unknown()).optional(),
  quote: z.string().optional(),
});
const ofAccount = z.strictObject({ hasPlan: z.boolean().optional() });

/** What Avito's console, its clock and chance do, and what people do: for tests and pages. */
export function controlSite(platform: Platform, customers: Customers, operations: string[]): Hono {
  const { world, switches, faults, journal, tokens } = platform;
  const api = new Hono();
  api.onError((error, c) => c.json({ error: error.message }, 400));
  const chatIn = (c: Context): Chat => {
    const chat = world.chats.find(({ id }) => id === c.req.param("chat"));
    if (!chat) throw new Error("There is no such chat");
    return chat;
  };
  api.get("/calls", (c) => c.json({ entries: journal.entries() }));
  api.get("/settings", (c) => c.json(switches.values()));
  api.put("/settings", async (c) => c.json(switches.set(await c.req.json())));
  api.get("/faults", (c) => c.json({ plans: faults.list(), targets: operations }));
  api.post("/faults", async (c) => {
    faults.plan(parseFault(await c.req.json(), operations));
    return c.json({});
  });
  api.delete("/faults", (c) => {
    faults.clear();
    return c.json({});
  });
  api.delete("/tokens", (c) => {
    tokens.end();
    return c.json({});
  });
  api.patch("/accounts/:id", async (c) => {
    const account = world.accounts.find(({ id }) => String(id) === c.req.param("id"));
    if (!account) throw new Error("There is no such account");
    Object.assign(account, await readBody(c, ofAccount));
    return c.json({});
  });
  api.get("/chats", (c) =>
    c.json(world.chats.map(({ id, person, item }) => ({ id, person: person.name, item: item?.title }))),
  );
  api.post("/chats/:chat/messages", async (c) => {
    const { id } = await customers.says(chatIn(c), await readBody(c, said));
    return c.json({ id });
  });
  api.post("/chats/:chat/staff", async (c) => {
    const { text } = await readBody(c, z.strictObject({ text: z.string().min(1) }));
    return c.json({ id: (await customers.staffSays(chatIn(c), text)).id });
  });
  api.delete("/messages/:id", async (c) => {
    const found = findMessage(world, c.req.param("id"));
    if (!found) throw new Error("There is no such message");
    await customers.deletes(found.chat, found.message);
    return c.json({});
  });
  return api;
}
