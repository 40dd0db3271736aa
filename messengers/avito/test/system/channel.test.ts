import { FILES } from "gangway-messenger/kit/sending";
import { describe, expect, it } from "vitest";
import { fastClock } from "../../../../test/support/clock.ts";
import { OWN } from "../../../../test/support/site.ts";
import { until } from "../../../../test/support/until.ts";
import { runningShop } from "./site.ts";

type Shop = Awaited<ReturnType<typeof runningShop>>;

/** An event of the gateway about the shop's channel. */
function agent({ sandbox, ask }: Shop) {
  const { world } = sandbox;
  const registration = world.modules.get("gangway")?.registration;
  const hook = (registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, "");
  const channel_id = [...world.channels.keys()].at(-1) ?? 0;
  return async (type: string, data: object) => {
    const body = JSON.stringify({ type, meta: { timestamp: 1 }, data: { channel_id, ...data } });
    return ask(hook, { method: "POST", headers: { clientid: registration?.clientId ?? "" }, body });
  };
}

const messagesIn = ({ sandbox }: Shop) => sandbox.world.messages as unknown as Record<string, unknown>[];

describe("a channel of Avito", () => {
  it("brings a customer's text, picture and voice message, the listing once, and what staff write in Avito", async () => {
    const shop = await runningShop();
    const { network } = shop;
    const chat = network.firstChat();
    await network.customers.says(chat, { text: "Ещё продаётся?" });
    await network.customers.says(chat, { image: FILES.image.bytes });
    await network.customers.says(chat, { voice: FILES.audio.bytes });
    await network.customers.says(chat, { type: "video", content: {} });
    await network.customers.staffSays(chat, "Да, приезжайте");
    await until("all of them", () => messagesIn(shop).length === 6);
    expect(messagesIn(shop).map(({ type, text }) => [type, text])).toEqual([
      ["text", "Ещё продаётся?"],
      ["text", expect.stringContaining("Mazda 3 2008, 300 000 ₽\nhttps://avito.ru/")],
      ["image", ""],
      ["audio", ""],
      ["text", "[Видео: Авито его не передаёт, откройте в Авито]"],
      ["text", "Да, приезжайте"],
    ]);
    expect(shop.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it("carries an agent's answer, its deletion and a read mark", async () => {
    const shop = await runningShop();
    const { network } = shop;
    const chat = network.firstChat();
    const said = await network.customers.says(chat, { text: "hello" });
    await until("the message", () => messagesIn(shop).length > 1);
    const tell = agent(shop);
    expect((await shop.agentSays(chat.id, chat.person.id, "hi")).status).toBe(200);
    await until("the answer", () => chat.messages.length === 2);
    const at = { external_chat_id: chat.id, external_user_id: String(chat.person.id) };
    await tell("message_read", { ...at, external_message_id: said.id });
    await until("the mark", () => said.readAt !== undefined);
    await tell("message_deleted", { ...at, external_message_id: chat.messages[1]?.id });
    await until("the deletion", () => chat.messages[1]?.type === "deleted");
  });

  it("sends nothing twice, and loses nothing, when answers are lost before and after a message is written", async () => {
    const shop = await runningShop({ clock: fastClock() });
    const { network } = shop;
    const chat = network.firstChat();
    await network.customers.says(chat, { text: "hello" });
    await until("the message", () => messagesIn(shop).length > 1);
    // Nothing but the list tells what arrived.
    network.switches.set({ withheld: 1 });
    const texts = Array.from({ length: 12 }, (_, n) => `answer ${n % 2 === 0 ? n : "same"}`);
    for (const [n, text] of texts.entries()) {
      const when = n % 3 === 0 ? "after" : "before";
      if (n % 3 < 2) network.faults.plan({ operation: "postSendMessage", status: 502, body: "html", when });
      await shop.agentSays(chat.id, chat.person.id, text);
      await until(`answer ${n}`, () => chat.messages.length >= n + 2);
    }
    expect(chat.messages.slice(1).map(({ content }) => content.text)).toEqual(texts);
  });
});
