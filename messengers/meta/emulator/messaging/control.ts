import type { Hono } from "hono";
import { z } from "zod";
import { coreControl, readBody } from "../control.ts";
import { addAccount, addPerson, chatOf } from "./chats.ts";
import type { Platform } from "./network.ts";
import { assignRoles, enforce, staffSays, testEvent } from "./staff.ts";
import { passThread, requestThread, takeThread } from "./threads.ts";
import { type Account, accountById, type Chat, type Person } from "./world.ts";

const id = z.string().regex(/^\d+$/);
const place = { account: id, person: z.int() };
const party = z.strictObject({
  firstName: z.string().min(1),
  lastName: z.string(),
  username: z.string().optional(),
  isOnline: z.boolean().optional(),
  readsAtOnce: z.boolean().optional(),
  isGone: z.boolean().optional(),
});
const changeOfAccount = z.strictObject({
  restriction: z.enum(["368", "1893063"]).nullish(),
  /** Fields by app: also of an account that nobody serves; an empty object is what Meta leaves of a webhook that failed too long. */
  subscribed: z.record(id, z.array(z.string())).optional(),
});
const handover = z.strictObject({
  ...place,
  action: z.enum(["pass", "take", "request"]),
  to: id,
  from: id.optional(),
  metadata: z.string().optional(),
});
const change = z.strictObject({
  ...place,
  isBlocked: z.boolean().optional(),
  isMuted: z.boolean().optional(),
  owner: id.nullish(),
});

/** An account by its id. Throws an Error. */
export function accountNamed({ world }: Platform, name: string): Account {
  const account = accountById(world, name);
  if (!account) throw new Error("There is no such account");
  return account;
}
export function personNumbered({ world }: Platform, n: number): Person {
  const person = world.people[n - 1];
  if (!person) throw new Error("There is no such person");
  return person;
}
const chatAt = (platform: Platform, at: { account: string; person: number }): Chat =>
  chatOf(platform, accountNamed(platform, at.account), personNumbered(platform, at.person));

/** What staff, Meta and its console do: for tests and pages. */
export function messagingControl(platform: Platform, operations: readonly string[], clear: () => void): Hono {
  const api = coreControl(platform.core, operations, clear);
  peopleRoutes(api, platform);
  threadRoutes(api, platform);
  api.post("/accounts", async (c) => {
    const form = z.strictObject({ id, name: z.string().min(1), username: z.string().optional() });
    const { subscribed: _, ...account } = addAccount(platform, await readBody(c, form));
    return c.json(account);
  });
  api.patch("/accounts/:id", async (c) => {
    const { restriction, subscribed } = await readBody(c, changeOfAccount);
    const account = accountNamed(platform, c.req.param("id"));
    if (restriction !== undefined) account.restriction = restriction ?? undefined;
    if (subscribed) account.subscribed = new Map(Object.entries(subscribed).map(([app, of]) => [app, new Set(of)]));
    return c.json({});
  });
  api.post("/policy", async (c) => {
    const form = z.strictObject({ account: id, action: z.string(), reason: z.string() });
    const { account, action, reason } = await readBody(c, form);
    await enforce(platform, accountNamed(platform, account), action, reason);
    return c.json({});
  });
  api.post("/apps/:id/test", async (c) => {
    await testEvent(platform, c.req.param("id"));
    return c.json({});
  });
  return api;
}

function peopleRoutes(api: Hono, platform: Platform): void {
  api.get("/people", (c) => c.json(platform.world.people));
  api.post("/people", async (c) => c.json(addPerson(platform, await readBody(c, party))));
  api.patch("/people/:n", async (c) => {
    const person = personNumbered(platform, Number(c.req.param("n")));
    return c.json(Object.assign(person, await readBody(c, party.partial())));
  });
}

function threadRoutes(api: Hono, platform: Platform): void {
  api.patch("/chats", async (c) => {
    const { account, person, owner, ...flags } = await readBody(c, change);
    const chat = chatAt(platform, { account, person });
    if (owner !== undefined) chat.owner = owner ?? undefined;
    Object.assign(chat, flags);
    return c.json({ scopedId: chat.scopedId });
  });
  api.post("/staff", async (c) => {
    const { text, ...at } = await readBody(c, z.strictObject({ ...place, text: z.string().min(1) }));
    const { mid } = await staffSays(platform, chatAt(platform, at), text);
    return c.json({ mid });
  });
  api.post("/handover", async (c) => {
    const { action, account, person, ...change } = await readBody(c, handover);
    const act = { pass: passThread, take: takeThread, request: requestThread }[action];
    await act(platform, chatAt(platform, { account, person }), change);
    return c.json({});
  });
  api.post("/roles", async (c) => {
    const form = z.strictObject({ ...place, roles: z.record(z.string(), z.array(z.string())) });
    const { roles, ...at } = await readBody(c, form);
    await assignRoles(platform, chatAt(platform, at), roles);
    return c.json({});
  });
}
