import { createFaults } from "gangway-messenger/kit/emulator/faults";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { crmApi } from "../crm/api.ts";
import { CONTACT, personOf } from "../crm/corporate/contact.ts";
import { CORPORATE } from "../crm/corporate/corporate.ts";
import { partsOf } from "../crm/corporate/part.ts";
import { customerOfChat } from "../crm/customers/chats.ts";
import { CUSTOMER } from "../crm/customers/customer.ts";
import { byAgent } from "../crm/entrance.ts";
import { orderCard } from "../crm/orders/card.ts";
import { FIRM } from "../crm/orders/parties.ts";
import type { Entry } from "../crm/records.ts";
import { recordBy, remove, writingBy } from "../crm/resource/resource.ts";
import { siteVisitOf } from "../crm/site-visits.ts";
import type { TableName } from "../crm/tables.ts";
import { changeComment, comment, commentsOf, dropComments } from "../crm/tasks/comments.ts";
import { TASK } from "../crm/tasks/task.ts";
import { type Bench, bodyAs, type Env } from "../exchange.ts";
import { channelOf, type Gateway } from "../gateway/gateway.ts";
import type { Chat } from "../world.ts";
import { chatById } from "./lists.ts";
import { agentOf } from "./speaker.ts";

/** Most records of a kind that the inbox shows. */
const MAX_SHOWN = 50;
const commentBody = z.object({ text: z.string().min(1) });

/** The CRM for agents: its whole API in their name, and what belongs to a chat's customer. */
export function customerActs(site: Hono<Env>, gateway: Gateway, bench: Bench): void {
  const customerIn = (c: Context<Env>) =>
    customerOfChat(gateway, chatById(gateway, Number(c.req.param("id"))).customerId);
  // Plans of faults are for modules' calls.
  const undisturbed = { ...bench, faults: createFaults(bench.clock.now) };
  const crm = crmApi(gateway, undisturbed, byAgent(gateway, "/sandbox/agent"));
  site.all("/api/*", (c) => crm.fetch(c.req.raw, c.env));
  site.get("/chats/:id/customer", (c) => {
    const customer = customerIn(c);
    return c.json(customer ? recordsOf(gateway, customer) : {});
  });
  site.get("/chats/:id/visit", async (c) =>
    c.json(await siteVisitOf(gateway, chatById(gateway, Number(c.req.param("id"))))),
  );
  site.get("/chats/:id/history", (c) => c.json(historyOf(gateway, Number(customerIn(c)?.id))));
  site.delete("/tasks/:id", (c) => {
    const task = recordBy(gateway, "tasks", c.req.param("id"), { by: "id" });
    remove(TASK, writingBy(gateway, { source: "user", user: agentOf(gateway.world, c) }), task);
    dropComments(gateway, task.id);
    return c.json({});
  });
  site.post("/tasks/:id/comments", async (c) => {
    const { text } = await bodyAs(c, commentBody);
    return c.json(comment(gateway, c.req.param("id"), agentOf(gateway.world, c), text));
  });
  site.patch("/comments/:id", async (c) => {
    const { text } = await bodyAs(c, commentBody);
    return c.json(changeComment(gateway, Number(c.req.param("id")), text));
  });
}

function recordsOf(gateway: Gateway, customer: Entry) {
  const isFirm = customer.type === FIRM;
  const newest = (table: TableName) => {
    const { rows, having } = gateway.world.tables[table];
    const ids = having("customer.id", customer.id).slice(-MAX_SHOWN).reverse();
    return ids.map((each) => rows.get(each)).filter((row) => row !== undefined);
  };
  return {
    customer: (isFirm ? CORPORATE : CUSTOMER).shown(gateway, customer),
    ...(isFirm && { contacts: contactsOf(gateway, customer) }),
    chats: chatsOf(gateway, (customer.mgCustomers ?? []) as { id: number }[]),
    notes: newest(isFirm ? "corporateNotes" : "customerNotes"),
    tasks: newest("tasks").map((task) => ({ ...TASK.shown(gateway, task), comments: commentsOf(gateway, task.id) })),
    orders: newest("orders").map((order) => ({
      id: order.id,
      status: order.status,
      card: orderCard(gateway, order),
    })),
  };
}

/** The people who act for a corporate customer, the main one first. */
function contactsOf(gateway: Gateway, firm: Entry): Entry[] {
  const links = partsOf(firm, CONTACT).toSorted((one, other) => Number(other.isMain) - Number(one.isMain));
  return links.map(({ customer }) => CUSTOMER.shown(gateway, personOf(gateway, customer) ?? (customer as Entry)));
}

function chatsOf({ world }: Gateway, chatting: { id: number }[]) {
  const ids = new Set(chatting.map(({ id }) => id));
  const chats = [...world.chats.values()].filter(({ customerId }) => ids.has(customerId));
  return chats.map((chat: Chat) => {
    const { type, name } = channelOf(world, chat);
    return { id: chat.id, name: world.customers.get(chat.customerId)?.nickname, channel: { type, name } };
  });
}

/**
 * Changes of a customer and of those who were combined into it, newest first; of a corporate customer also from the time
 * before it became one.
 */
function historyOf({ world }: Gateway, id: number) {
  const changes = [CUSTOMER.path, CORPORATE.path].flatMap((history) => world.histories.get(history) ?? []);
  const own = changes.filter(({ of, more }) => of === id || (more?.combinedTo as Entry | undefined)?.id === id);
  return own
    .sort((one, other) => other.id - one.id)
    .slice(0, MAX_SHOWN)
    .map(({ by, was: _, ...change }) => ({
      ...change,
      source: by.source,
      ...(by.source === "user" && { user: by.user }),
    }));
}
