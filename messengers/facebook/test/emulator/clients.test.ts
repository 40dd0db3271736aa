import { serve } from "@hono/node-server";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { MessengerClient } from "messaging-api-messenger";
import { expect, it, onTestFinished } from "vitest";
import { PAGE, TOKEN } from "../../emulator/emulator.ts";
import { page } from "./pages.ts";

/** A client of others, unmodified: only its origin is set. */
async function client() {
  const module = await page();
  await module.emulator.customers.says(module.chat, { text: "Hi" });
  const server = serve({ fetch: module.emulator.site.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const messenger = new MessengerClient({
    accessToken: TOKEN,
    appId: DEMO_APP.id,
    appSecret: DEMO_APP.secret,
    version: "23.0",
    origin: `http://127.0.0.1:${port}`,
  });
  return { ...module, messenger };
}

it("messaging-api-messenger holds a conversation", async () => {
  const { messenger, chat, emulator } = await client();
  const { scopedId: id } = chat;
  await messenger.sendSenderAction(id, "mark_seen");
  await messenger.sendSenderAction(id, "typing_on");
  const { messageId, recipientId } = await messenger.sendText(id, "Hello");
  expect({ messageId, recipientId }).toEqual({ messageId: chat.messages.at(-1)?.mid, recipientId: id });
  await messenger.sendText(id, "Which?", { quickReplies: [{ contentType: "text", title: "Red", payload: "RED" }] });
  await messenger.sendButtonTemplate(id, "Buy?", [{ type: "postback", title: "Buy", payload: "BUY" }]);
  await messenger.sendGenericTemplate(id, [{ title: "Shoes", subtitle: "€40" }]);
  const named = { messagingType: "RESPONSE" as const, filename: "a.png" };
  await messenger.sendImage(id, Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), named);
  expect(chat.messages.map(({ from }) => from)).toEqual(["customer", ...Array(5).fill("account")]);
  expect(chat.messages.at(-1)?.attachments).toMatchObject([{ type: "image" }]);
  const profile = await messenger.getUserProfile(id, { fields: ["id", "first_name", "profile_pic"] });
  expect(profile).toMatchObject({ id, firstName: "Ada", profilePic: expect.stringContaining("http") });
  expect(await messenger.getPageInfo({ fields: ["id", "name"] })).toMatchObject(PAGE);
  await messenger.passThreadControl(id, 263902037430900, "to staff");
  expect(chat.owner).toBe("263902037430900");
  await messenger.takeThreadControl(id, "back");
  expect(emulator.core.journal.entries().filter(({ status }) => status >= 400)).toEqual([]);
});

it("messaging-api-messenger reads the emulator's refusals as Graph's", async () => {
  const { messenger, chat, clock } = await client();
  clock.jump(86_400_000);
  await expect(messenger.sendText(chat.scopedId, "late")).rejects.toThrow(/10.*outside of allowed window/s);
});
