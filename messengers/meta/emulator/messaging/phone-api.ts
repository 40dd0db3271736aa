import { type Context, Hono } from "hono";
import { z } from "zod";
import { readBody } from "../control.ts";
import { chatOf } from "./chats.ts";
import { accountNamed, personNumbered } from "./control.ts";
import type { Customers } from "./customer.ts";
import type { Platform } from "./network.ts";
import type { Said } from "./saying.ts";
import { type Chat, findMessage, type Message } from "./world.ts";

const attachment = z.strictObject({
  type: z.string().min(1),
  title: z.string().optional(),
  url: z.string().optional(),
  payload: z.record(z.string(), z.unknown()).optional(),
});
const file = z.strictObject({
  type: z.string().min(1),
  name: z.string().default("file"),
  mediaType: z.string(),
  /** Base64. */
  bytes: z.string(),
  payload: z.record(z.string(), z.unknown()).optional(),
});
const replyTo = z.union([
  z.strictObject({ mid: z.string() }),
  z.strictObject({ story: z.strictObject({ id: z.string(), url: z.string() }) }),
]);
const said = z.strictObject({
  text: z.string().optional(),
  files: z.array(file).optional(),
  attachments: z.array(attachment).optional(),
  quickReply: z.string().optional(),
  replyTo: replyTo.optional(),
  stickerId: z.int().optional(),
  more: z.record(z.string(), z.unknown()).optional(),
});
const reaction = z.strictObject({ reaction: z.string().min(1), emoji: z.string().optional() });
const postback = z.strictObject({
  title: z.string().optional(),
  payload: z.string(),
  referral: z.record(z.string(), z.unknown()).optional(),
});

const MESSAGE = "/chats/:account/:person/messages/:mid";

/** What people do, as JSON calls. */
export function phoneApi(platform: Platform, customers: Customers): Hono {
  const api = new Hono();
  api.onError((error, c) => c.json({ error: error.message }, 400));
  const chatIn = (c: Context): Chat =>
    chatOf(
      platform,
      accountNamed(platform, c.req.param("account") ?? ""),
      personNumbered(platform, Number(c.req.param("person"))),
    );
  const messageIn = (c: Context): Message => {
    const found = findMessage(platform.world, c.req.param("mid") ?? "");
    if (found?.chat !== chatIn(c)) throw new Error("There is no such message");
    return found.message;
  };
  api.get("/accounts", (c) => c.json(platform.world.accounts.map(({ subscribed: _, ...account }) => account)));
  api.get("/chats/:account/:person", (c) => c.json(chatView(platform, chatIn(c))));
  api.post("/chats/:account/:person/messages", async (c) => {
    const { files, ...rest } = await readBody(c, said);
    const bytes = files?.map((each) => ({ ...each, bytes: Buffer.from(each.bytes, "base64") }));
    const { mid } = await customers.says(chatIn(c), { ...rest, ...(bytes && { files: bytes }) } as Said);
    return c.json({ mid });
  });
  api.patch(MESSAGE, async (c) => {
    const { text } = await readBody(c, z.strictObject({ text: z.string().min(1) }));
    await customers.edits(messageIn(c), text);
    return c.json({});
  });
  api.delete(MESSAGE, async (c) => {
    await customers.unsends(messageIn(c));
    return c.json({});
  });
  api.put(`${MESSAGE}/reaction`, async (c) => {
    await customers.reacts(messageIn(c), await readBody(c, reaction));
    return c.json({});
  });
  api.delete(`${MESSAGE}/reaction`, async (c) => {
    await customers.reacts(messageIn(c), undefined);
    return c.json({});
  });
  chatRoutes(api, customers, chatIn);
  return api;
}

function chatRoutes(api: Hono, customers: Customers, chatIn: (c: Context) => Chat): void {
  api.post("/chats/:account/:person/postback", async (c) => {
    await customers.presses(chatIn(c), await readBody(c, postback));
    return c.json({});
  });
  api.post("/chats/:account/:person/referral", async (c) => {
    await customers.arrives(chatIn(c), await readBody(c, z.record(z.string(), z.unknown())));
    return c.json({});
  });
  api.post("/chats/:account/:person/read", async (c) => {
    await customers.opens(chatIn(c));
    return c.json({});
  });
  api.post("/chats/:account/:person/comments", async (c) => {
    const { text } = await readBody(c, z.strictObject({ text: z.string().min(1) }));
    const { account, person } = chatIn(c);
    const { id } = await customers.comments(account, person, text);
    return c.json({ id });
  });
}

const chatView = ({ core }: Platform, chat: Chat) => ({
  scopedId: chat.scopedId,
  isTyping: chat.typingUntil > core.clock.now(),
  seenAt: chat.seenAt,
  wroteAt: chat.wroteAt,
  owner: chat.owner ?? null,
  messages: chat.messages.map(({ more, ...message }) => ({ ...message, ...more })),
});
