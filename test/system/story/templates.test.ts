import { expect, it } from "vitest";
import { postOffice } from "../../support/post-office.ts";
import { until } from "../../support/until.ts";

const DRAFT = {
  ...{ name: "Order ready", lang: "en", category: "utility", body: "Hello {{1}}, order {{2}} is ready." },
  ...{ footer: "The shop", example: { body: ["Ann", "7"] } },
};

it("an agent creates a template, the messenger approves it, and a customer reads it with their own words in it", async () => {
  const { agent, asUser, channel, office, atGateway, reviews, says, sandbox, look, id } = await postOffice();
  const made = await agent("POST", `/channels/${channel}/templates`, DRAFT);
  expect(made.body).toEqual({ code: "order_ready#en" });
  expect([...office.templates.values()]).toMatchObject([{ name: "Order ready", language: "en", status: "pending" }]);
  expect(atGateway()).toMatchObject({ "order_ready#en": { enabled: false, body: { verification_status: "pending" } } });

  await says("Robin", "Is my order ready?");
  const chat = await until("the chat", () => [...sandbox.world.chats.keys()][0]);
  const use = { code: "order_ready#en", body: ["Robin", "7"] };
  expect((await agent("POST", `/chats/${chat}/template`, use)).body.errors).toEqual(["Template is not approved"]);

  await reviews("order_ready#en", { status: "approved", quality: "high" });
  await until("the approval in the CRM", () => atGateway()["order_ready#en"]?.enabled);
  const sent = await agent("POST", `/chats/${chat}/template`, use);
  await until("the letter", () => office.letters.length > 0);
  expect(office.letters).toMatchObject([{ to: "Robin", text: "Hello Robin, order 7 is ready." }]);
  const message = () => sandbox.world.messageById(Number(sent.body.message_id));
  await until("the ack", () => message()?.externalId === office.letters[0]?.id);

  // Its words are the messenger's: an edit changes nothing, and the agent is told.
  await asUser("PATCH", `/messages/${sent.body.message_id}`, { content: "Hello Robin, it is sold" });
  const note = () =>
    sandbox.world.messagesOf(chat).find(({ text }) => text.includes("a message by template cannot be edited"));
  await until("the note", note);
  expect(office.letters).toMatchObject([{ text: "Hello Robin, order 7 is ready.", edited: false, gone: false }]);

  const page = await look();
  expect(page).toContain(`data-channel="${id}"`);
  expect(page).toMatch(
    /<strong>Order ready<\/strong>.*Language: English · Category: Utility · Quality: High.*Approved/s,
  );
  expect(sandbox.calls.entries(true)).toEqual([]);
});
