import { expect, it } from "vitest";
import type { WhatsApp } from "../../sandbox/src/whatsapp/emulator.ts";
import { NUMBER_ID } from "../../sandbox/src/whatsapp/seed.ts";
import { chatOf } from "../../sandbox/src/whatsapp/world.ts";
import { agentAt } from "../../tools/demo/agent.ts";
import { runningDemo } from "../support/demo.ts";
import { until } from "../support/until.ts";

/** The built server with a number of the emulated WhatsApp, to which the first customer has written. */
async function numberCalled() {
  const demo = await runningDemo();
  const { sandbox, visit } = demo;
  const emulator = sandbox.sandbox.emulators.whatsapp as WhatsApp;
  const { name, settings } = emulator.channel();
  await visit.add("whatsapp", name, settings);
  const { world } = emulator.network;
  const number = world.numbers.get(NUMBER_ID);
  const [robin] = world.customers;
  if (!number || !robin) throw new Error("The emulator is empty");
  const agent = agentAt(sandbox.origin);
  await emulator.says("Do you have blue rope? 🧵");
  const chat = await until("the chat in the inbox", async () => (await agent.chats())[0]);
  const control = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${sandbox.origin}/whatsapp/control/${path}`, { method, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const written = async (id: number) => (await agent.messages(chat.id)).find((each) => each.id === id);
  return { ...demo, emulator, agent, chat: chat.id, phone: chatOf(world, number, robin), control, written };
}

it("a customer with WhatsApp and an agent talk, and what fails after Meta's 200 reaches the agent", async () => {
  const { agent, chat, phone, control, written } = await numberCalled();
  const question = await until("the question", async () => (await agent.messages(chat))[0]);
  expect(question.text).toBe("Do you have blue rope? 🧵");

  const id = await agent.say(chat, { text: "Yes, three euros", suggestions: [{ type: "text", title: "Ten metres" }] });
  const shown = await until("the answer on the phone", () =>
    phone.messages.find(({ content }) => JSON.stringify(content).includes("three euros")),
  );
  await until("the ack", async () => (await written(id))?.externalId);
  const button = /"id":"([^"]+)","title":"Ten metres"/.exec(JSON.stringify(shown.content))?.[1];
  await control("POST", `messages/${shown.id}/press`, { button });
  await until("the choice", async () => (await agent.messages(chat)).some(({ text }) => text === "Ten metres"));

  await control("PATCH", "customers/1", { reads: true });
  await until("the read mark", async () => (await written(id))?.status === "seen");

  await control("POST", "faults", { operation: "outcome", code: 131049, delayMs: 1_000 });
  const late = await agent.say(chat, { text: "An offer" });
  await until("the late failure", async () => (await written(late))?.error);
});
