import { agentAt } from "gangway-sandbox/demo/agent";
import * as acts from "gangway-whatsapp/emulator/acts";
import type { WhatsApp } from "gangway-whatsapp/emulator/emulator";
import { NUMBER_ID } from "gangway-whatsapp/emulator/seed";
import { chatOf } from "gangway-whatsapp/emulator/world";
import { expect, it } from "vitest";
import { runningDemo } from "../../support/demo.ts";
import { until } from "../../support/until.ts";

it("a customer and an agent talk over WhatsApp; a message that fails late is told to the agent", async () => {
  const { sandbox, visit } = await runningDemo();
  const emulator = sandbox.sandbox.emulators.whatsapp as WhatsApp;
  const { name, settings } = emulator.channel();
  await visit.add("whatsapp", name, settings);
  const { network } = emulator;
  const number = network.world.numbers.get(NUMBER_ID);
  const [robin] = network.world.customers;
  if (!number || !robin) throw new Error("the emulator is empty");
  const chat = chatOf(network.world, number, robin);
  const agent = agentAt(sandbox.origin);

  await acts.write(network, chat, { text: "¿Tienen cuerda azul?" });
  const { id } = await until("the chat", async () => (await agent.chats())[0]);
  const inbox = () => agent.messages(id);
  await until("the question", async () => (await inbox()).some(({ text }) => text === "¿Tienen cuerda azul?"));
  const customer = [...sandbox.sandbox.world.customers.values()].find(({ externalId }) => externalId === robin.userId);
  expect(customer).toMatchObject({ nickname: "Robin Field", phone: "+15550100042" });

  await agent.say(id, { text: "Yes. How much?", suggestions: [{ type: "text", title: "Ten metres" }] });
  const sent = await until("the answer", () => chat.messages.find(({ from }) => from === "business"));
  const answered = async (status: string) =>
    (await inbox()).some(
      ({ from, text, status: now }) => from === "user" && text === "Yes. How much?" && now === status,
    );
  await until("the ack", () => answered("received"));
  await network.idle();
  await acts.openChat(network, chat);
  await until("the read mark", () => answered("seen"));
  await acts.press(network, chat, sent, "0:Ten metres");
  await until("the choice", async () => (await inbox()).some(({ text }) => text === "Ten metres"));

  network.core.faults.plan({ operation: "outcome", code: 131026 } as never);
  await agent.say(id, { text: "It is on its way" });
  const failed = await until("the failure", async () => (await inbox()).find(({ error }) => error));
  expect(failed).toMatchObject({ text: "It is on its way", error: { code: "customer_not_exists" } });
  expect(sandbox.sandbox.calls.entries(true)).toEqual([]);
});
