import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Core } from "./core.ts";
import type { Customers } from "./customer.ts";
import { OTHERS, parseFault } from "./faults.ts";
import { type Chat, chatOf, type Message } from "./world.ts";

/** Of the community and the person, counted from one. */
const where = { community: z.int().min(1).default(1), person: z.int().min(1).default(1) };
const saying = z.strictObject({ ...where, text: z.string().min(1) });
const changing = z.strictObject({
  ...where,
  isBlocked: z.boolean().optional(),
  isAllowed: z.boolean().optional(),
  isExpired: z.boolean().optional(),
});
const changeOfToken = z.strictObject({ isEnded: z.boolean().optional(), rights: z.array(z.string()).optional() });

async function bodyOf<Schema extends z.ZodType>(c: Context, shape: Schema): Promise<z.infer<Schema>> {
  const read = shape.safeParse(await c.req.json().catch(() => undefined));
  if (!read.success) throw new Error(shapeFaults(read.error));
  return read.data;
}

/** The chat of the nth person with the nth community. Throws in words. */
export function chatAt({ world }: Core, community: number, person: number): Chat {
  const [at, who] = [world.communities[community - 1], world.people[person - 1]];
  if (!at || !who) throw new Error("There is no such chat");
  return chatOf(world, at, who);
}

/** What chance, staff and VK itself do: for tests and pages. */
export function controlSite(core: Core, customers: Customers, methods: readonly string[], clear: () => void): Hono {
  const api = new Hono();
  api.onError((error, c) => c.json({ error: error.message }, 400));
  const told = (name: string, tell: () => unknown) => api.get(name, (c) => c.json(tell() as object));
  told("/calls", () => ({ entries: core.journal.entries() }));
  told("/settings", core.switches.values);
  told("/faults", () => ({ plans: core.faults.list(), targets: [...OTHERS, ...methods] }));
  told("/chats", () => core.world.chats.map(viewOf));
  api.put("/settings", async (c) => c.json(core.switches.set(await c.req.json())));
  api.post("/faults", async (c) => {
    core.faults.plan(parseFault(await c.req.json(), methods));
    return c.json({});
  });
  api.delete("/faults", (c) => {
    core.faults.clear();
    return c.json({});
  });
  api.post("/clear", (c) => {
    clear();
    return c.json({});
  });
  for (const [name, act] of [
    ["/customer", "says"],
    ["/staff", "staffSays"],
  ] as const)
    api.post(name, async (c) => {
      const { community, person, text } = await bodyOf(c, saying);
      const chat = chatAt(core, community, person);
      const said: Message =
        act === "says" ? await customers.says(chat, { text }) : await customers.staffSays(chat, text);
      return c.json({ cmid: said.cmid });
    });
  api.patch("/chats", async (c) => {
    const { community, person, ...change } = await bodyOf(c, changing);
    Object.assign(chatAt(core, community, person), change);
    return c.json({});
  });
  api.patch("/tokens/:value", async (c) => {
    const token = core.world.tokens.find(({ value }) => value === c.req.param("value"));
    if (!token) throw new Error("There is no such token");
    const { isEnded, rights } = await bodyOf(c, changeOfToken);
    if (isEnded !== undefined) token.isEnded = isEnded;
    if (rights) token.rights = new Set(rights);
    return c.json({});
  });
  return api;
}

const viewOf = ({ community, person, known: _, ...chat }: Chat) => ({
  ...chat,
  community: community.id,
  person: person.id,
});
