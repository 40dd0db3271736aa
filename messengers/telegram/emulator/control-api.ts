import { Hono } from "hono";
import { z } from "zod";
import { announce, announceStanding } from "./announcements.ts";
import type { BotApiParts } from "./bot-api.ts";
import { connect } from "./business.ts";
import { textContent } from "./entities.ts";
import { faultForm } from "./faults.ts";
import { personOf } from "./phone.ts";
import { numberOf, phoneFailure, readForm } from "./phone-api.ts";
import { messagesView } from "./phone-view.ts";
import { PhoneRefusal } from "./refusal.ts";
import { addGroup, groupRoom, post } from "./rooms.ts";
import type { Bot, Room, World } from "./world.ts";

export interface Controls extends BotApiParts {
  clear(): void;
}

/** Control API for tests and pages: faults, floods, world state. */
export function controlApi(controls: Controls): Hono {
  const api = new Hono();
  api.onError(phoneFailure);
  logRoutes(api, controls);
  worldRoutes(api, controls);
  businessRoutes(api, controls);
  channelRoutes(api, controls);
  api.post("/clear", (c) => {
    controls.clear();
    return c.json({});
  });
  return api;
}

// JSON has no Infinity; null disables a limit.
const limit = z
  .number()
  .min(0)
  .nullable()
  .transform((max) => max ?? Number.POSITIVE_INFINITY)
  .optional();
const limitsForm = z.strictObject({ perSecond: limit, perChat: limit, perGroupMinute: limit });

function logRoutes(api: Hono, { calls, floods, faults }: Controls): void {
  api.get("/calls", (c) => c.json(calls.list()));
  api.get("/floods", (c) => c.json(floods.counts()));
  api.put("/limits", async (c) => {
    const form: Record<string, number | undefined> = await readForm(c, limitsForm);
    floods.set(Object.fromEntries(Object.entries(form).filter(([, max]) => max !== undefined)));
    return c.json(floods.limits());
  });
  api.get("/faults", (c) => c.json(faults.list()));
  api.get("/faults/happened", (c) => c.json(faults.happened()));
  api.post("/faults", async (c) => {
    faults.plan(await readForm(c, faultForm));
    return c.json({});
  });
  api.delete("/faults", (c) => {
    faults.clear();
    return c.json({});
  });
}

function worldRoutes(api: Hono, { world }: Controls): void {
  api.post("/people/:id", async (c) => {
    const person = personOf(world, numberOf(c, "id"));
    const form = z.strictObject({ deactivated: z.boolean().optional(), hidesForwards: z.boolean().optional() });
    const { deactivated, hidesForwards } = await readForm(c, form);
    if (deactivated !== undefined) person.deactivated = deactivated;
    if (hidesForwards !== undefined) person.hidesForwards = hidesForwards;
    return c.json({});
  });
  api.post("/groups/:id", async (c) => {
    const room = groupOf(world, numberOf(c, "id"));
    const flag = z.boolean().optional();
    const { kicked, rights, admin } = await readForm(c, z.object({ kicked: flag, rights: flag, admin: flag }));
    if (rights !== undefined) room.mayWrite = rights;
    if (admin !== undefined) promote(world, room, admin);
    if (kicked !== undefined && kicked !== (room.gone === "kicked")) {
      room.gone = kicked ? "kicked" : undefined;
      announceStanding(world, room, room.people[0] ?? 0, kicked ? "member" : "kicked", kicked ? "kicked" : "member");
    }
    return c.json({});
  });
  api.get("/chats/:bot/:chat", (c) => {
    const bot = botOf(world, numberOf(c, "bot"));
    const chat = numberOf(c, "chat");
    const room = chat < 0 ? groupRoom(world, chat) : world.rooms.get(roomKey(bot, chat, c.req.query("owner")));
    return c.json(room ? messagesView(world, room, bot.id) : []);
  });
}

function promote(world: World, room: Room, isAdmin: boolean): void {
  if (room.isAdmin === isAdmin) return;
  room.isAdmin = isAdmin;
  const before = isAdmin ? "member" : "administrator";
  announceStanding(world, room, room.people[0] ?? 0, before, isAdmin ? "administrator" : "member");
}

/** `owner`: a person who connected the bot to their chats. */
function roomKey(bot: Bot, chat: number, owner: string | undefined): string {
  if (owner === undefined) return `bot:${bot.id}:${chat}`;
  return `people:${[Number(owner), chat].sort((a, b) => a - b).join(":")}`;
}

function groupOf(world: World, id: number): Room {
  const room = groupRoom(world, id);
  if (!room) throw new PhoneRefusal(404, `There is no group ${id}`);
  return room;
}
function botOf(world: World, id: number): Bot {
  const bot = world.bots.get(id);
  if (!bot) throw new PhoneRefusal(404, `There is no bot ${id}`);
  return bot;
}

const businessForm = z.object({
  bot: z.int(),
  owner: z.int(),
  enabled: z.boolean().optional(),
  rights: z.record(z.string(), z.boolean()).optional(),
});

function businessRoutes(api: Hono, { world }: Controls): void {
  api.get("/business", (c) =>
    c.json([...world.connections.values()].map((each) => ({ ...each, read: Object.fromEntries(each.read) }))),
  );
  api.post("/business", async (c) => {
    const form = await readForm(c, businessForm);
    botOf(world, form.bot);
    personOf(world, form.owner);
    return c.json({ id: connect(world, form).id });
  });
}

function channelRoutes(api: Hono, { world }: Controls): void {
  api.post("/channels", async (c) => {
    const form = z.object({ title: z.string().min(1), bot: z.int(), people: z.array(z.int()).default([]) });
    const { title, bot, people } = await readForm(c, form);
    for (const person of people) personOf(world, person);
    const room = addGroup(world, "channel", { title, bot: botOf(world, bot).id, people });
    return c.json({ id: room.id });
  });
  api.post("/channels/:id/posts", async (c) => {
    const room = groupOf(world, numberOf(c, "id"));
    const { text } = await readForm(c, z.object({ text: z.string().min(1) }));
    const made = post(world, room, 0, textContent(world, { text, entities: [] }));
    announce(world, room, made, "new");
    return c.json({ id: made.message.message_id });
  });
}
