import { type Context, Hono } from "hono";
import { z } from "zod";
import { orderCard } from "../crm/orders/card.ts";
import { productCard } from "../crm/store/cards.ts";
import { searched } from "../crm/store/product.ts";
import { type Bench, bodyAs, type Env, lastInPath } from "../exchange.ts";
import { chatFor, deleteChats, leave, systemMessage, updateCustomer } from "../gateway/chats.ts";
import { channelOf, type Gateway, mustBeOpen } from "../gateway/gateway.ts";
import { read, send, sendReaction } from "../gateway/outgoing.ts";
import { emitOnline, emitUser } from "../gateway/people.ts";
import { forbidden, noNewCustomers } from "../gateway/policy.ts";
import { addReaction, removeReactions } from "../gateway/reactions.ts";
import * as templates from "../gateway/templates.ts";
import { Refusal } from "../refusal.ts";
import type { Message, SandboxChannel } from "../world.ts";
import { customerActs } from "./customer.ts";
import { chatById } from "./lists.ts";
import { callerOf } from "./speaker.ts";

// Agent actions that the published APIs lack: JSON under `/sandbox/agent`, with the agent's token.

const text = z.string();
const reactionBody = z.object({ reaction: text.min(1) });
const customerBody = z.object({
  is_blocked: z.boolean().optional(),
  first_name: text.optional(),
  last_name: text.optional(),
  phone: text.optional(),
  email: text.optional(),
});
const meBody = z.object({
  is_online: z.boolean().optional(),
  available: z.boolean().optional(),
  first_name: text.optional(),
  last_name: text.optional(),
});
const newChatBody = z.object({
  channel_id: z.number(),
  customer: z.object({
    external_id: text.min(1).max(64),
    nickname: text.min(1).max(255),
    first_name: text.optional(),
    phone: text.optional(),
  }),
});
const templateFields = {
  name: text.min(1).max(512),
  body: text.min(1),
  lang: text,
  category: text,
  header: z.object({
    content: z.object({ type: z.enum(["document", "image", "text", "video"]), body: text.optional() }),
  }),
  footer: text,
  buttons: z.object({
    items: z.array(
      z.object({
        type: z.enum(["phone", "plain", "url"]),
        label: text,
        phone: text.optional(),
        url: text.optional(),
      }),
    ),
  }),
  example: z.looseObject({}),
};
const changedTemplate = z.object(templateFields).partial();
const templateBody = changedTemplate.required({ name: true, body: true });
const argumentsBody = z.object({
  code: text.min(1),
  header: z.array(text).optional(),
  body: z.array(text).optional(),
  buttons: z.array(z.array(text)).optional(),
  attachments: z.array(z.object({ id: text, caption: text.optional() })).optional(),
});

/** Most products or orders that are offered at once. */
const MAX_CHOICES = 100;

export function agentApi(gateway: Gateway, bench: Bench): Hono<Env> {
  const { world } = gateway;
  const site = new Hono<Env>();
  site.use(async (c, next) => {
    callerOf(world, c);
    await next();
  });
  site.onError((error, c) => {
    if (error instanceof Refusal) return c.json({ errors: [error.message] }, error.status);
    throw error;
  });
  chatActs(site, gateway);
  reactionActs(site, gateway);
  peopleActs(site, gateway);
  templateActs(site, gateway);
  customerActs(site, gateway, bench);
  site.get("/products", (c) => {
    const found = searched(world.tables.products, c.req.query("search") ?? "", MAX_CHOICES);
    return c.json(found.map((product) => productCard(product, gateway)));
  });
  site.get("/orders", (c) => {
    const wanted = (c.req.query("search") ?? "").trim().toLowerCase();
    const found: object[] = [];
    for (const order of [...world.tables.orders.rows.values()].reverse()) {
      if (found.length === MAX_CHOICES) break;
      const { number, firstName, lastName } = order;
      const text = [number, firstName, lastName].join(" ").toLowerCase();
      if (text.includes(wanted)) found.push(orderCard(gateway, order));
    }
    return c.json(found);
  });
  return site;
}

function chatActs(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const chatIn = (c: Context<Env>) => chatById(gateway, Number(c.req.param("id")));
  site.post("/chats/:id/read", (c) => c.json({ read: read(gateway, chatIn(c)) }));
  site.post("/chats/:id/leave", (c) => {
    leave(gateway, chatIn(c), callerOf(world, c), "leaved");
    return c.json({});
  });
  site.delete("/chats/:id/members/:user", (c) => {
    leave(gateway, chatIn(c), { type: "user", id: Number(c.req.param("user")) }, "kicked");
    return c.json({});
  });
  site.post("/chats", async (c) => {
    const { channel_id: id, customer } = await bodyAs(c, newChatBody);
    const channel = channelOf(world, { channelId: id });
    if (channel.settings.sending_policy?.new_customer === "no") throw noNewCustomers(channel);
    if (channel.settings.customer_external_id === "phone" && !/^\+?\d{5,20}$/.test(customer.external_id))
      throw forbidden(channel, "Customers are known by their phone", "settings.customer_external_id");
    return c.json({ chat_id: chatFor(gateway, channel, { customer, author: callerOf(world, c) }).id });
  });
  site.delete("/chats", async (c) => {
    const { ids } = await bodyAs(c, z.object({ ids: z.array(z.number()).min(1) }));
    deleteChats(gateway, ids);
    return c.json({});
  });
}

function reactionActs(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const messageIn = (c: Context<Env>): { message: Message; channel: SandboxChannel } => {
    const message = world.messageById(Number(c.req.param("id")));
    if (!message) throw new Refusal(404, "Message not found", "the message exists");
    return { message, channel: channelOf(world, message) };
  };
  site.get("/chats/:id/reactions", (c) => {
    const own = world.messagesOf(chatById(gateway, Number(c.req.param("id"))).id);
    const reacted = own.filter((message) => message.reactions.length > 0);
    const shown = (message: Message) =>
      message.reactions.map(({ by, content, at }) => ({
        content,
        created_at: new Date(at).toISOString(),
        user_id: by.id,
      }));
    return c.json({ reactions: Object.fromEntries(reacted.map((message) => [message.id, shown(message)])) });
  });
  site.put("/messages/:id/reaction", async (c) => {
    const { message, channel } = messageIn(c);
    const { reaction } = await bodyAs(c, reactionBody);
    mustBeOpen(world, channel);
    const change = addReaction(gateway, channel, message, callerOf(world, c), reaction, "receive");
    if (change) sendReaction(gateway, message, "reaction_add", change);
    return c.json({});
  });
  site.delete("/messages/:id/reaction", (c) => {
    const { message, channel } = messageIn(c);
    mustBeOpen(world, channel);
    const gone = removeReactions(gateway, channel, message, callerOf(world, c), c.req.query("reaction"), "receive");
    for (const removed of gone) sendReaction(gateway, message, "reaction_delete", { removed });
    return c.json({});
  });
}

function peopleActs(site: Hono<Env>, gateway: Gateway): void {
  const { world, clock } = gateway;
  site.patch("/customers/:id", async (c) => {
    const customer = world.customers.get(Number(c.req.param("id")));
    if (!customer) throw new Refusal(404, "Customer not found", "the customer exists");
    const body = await bodyAs(c, customerBody);
    const blocked = body.is_blocked ?? customer.blocked;
    const changed = blocked !== customer.blocked;
    updateCustomer(gateway, customer, {
      blocked,
      firstName: body.first_name ?? customer.firstName,
      lastName: body.last_name ?? customer.lastName,
      phone: body.phone ?? customer.phone,
      email: body.email ?? customer.email,
    });
    const action = blocked ? "customer_blocked" : "customer_unblocked";
    if (changed)
      for (const chat of world.chats.values())
        if (chat.customerId === customer.id) systemMessage(gateway, chat, action, callerOf(world, c));
    return c.json({});
  });
  site.patch("/me", async (c) => {
    const user = world.users.get(callerOf(world, c).id);
    if (!user) throw new Refusal(400, "Only an agent has a state of its own", "the token is an agent's");
    const { is_online: online, available, first_name: firstName, last_name: lastName } = await bodyAs(c, meBody);
    const names = { firstName: firstName ?? user.firstName, lastName: lastName ?? user.lastName };
    const updated = { available: available ?? user.available, ...names, updatedAt: clock.now() };
    const changed = updated.available !== user.available || firstName !== undefined || lastName !== undefined;
    Object.assign(user, updated);
    if (changed) emitUser(gateway, user.id);
    if (online !== undefined && online !== user.online) {
      user.online = online;
      emitOnline(gateway, user.id);
    }
    return c.json({});
  });
}

function templateActs(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const channelIn = (c: Context<Env>) => channelOf(world, { channelId: Number(c.req.param("id")) });
  const openIn = (c: Context<Env>) => {
    const channel = channelIn(c);
    mustBeOpen(world, channel);
    return channel;
  };
  const templateIn = (c: Context<Env>) => templates.templateOf(gateway, channelIn(c), lastInPath(c));
  site.get("/channels/:id", (c) => {
    const { id, type, name, settings, active } = channelIn(c);
    return c.json({ id, type, name, settings, is_active: active });
  });
  site.get("/templates", (c) => {
    const channel = Number(c.req.query("channel_id"));
    return c.json(world.templates.filter((t) => t.channelId === channel).map(templates.templateRecord));
  });
  site.post("/channels/:id/templates", async (c) => {
    const template = await templates.draftTemplate(gateway, openIn(c), await bodyAs(c, templateBody));
    return c.json({ code: template.code });
  });
  site.put("/channels/:id/templates/:code", async (c) => {
    templates.updateTemplate(gateway, openIn(c), templateIn(c), await bodyAs(c, changedTemplate));
    return c.json({});
  });
  site.delete("/channels/:id/templates/:code", (c) => {
    templates.deleteTemplate(gateway, openIn(c), templateIn(c));
    return c.json({});
  });
  site.post("/chats/:id/template", async (c) => {
    const chat = chatById(gateway, Number(c.req.param("id")));
    const given = await bodyAs(c, argumentsBody);
    const template = templates.templateOf(gateway, channelOf(world, chat), given.code);
    for (const { id } of given.attachments ?? [])
      if (!world.files.has(id)) throw new Refusal(400, `File ${id} not found`, "the file is uploaded");
    const customer = world.customers.get(chat.customerId);
    const { text: content, sent } = templates.renderTemplate(template, given, customer);
    const outgoing = { scope: "public", content, template: sent } as const;
    return c.json({ message_id: send(gateway, chat, callerOf(world, c), outgoing).id });
  });
}
