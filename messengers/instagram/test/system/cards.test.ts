import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import { describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../../../src/domain/message.ts";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { fresh, talking } from "../../../meta/test/unit/talking.ts";
import { APP, createEmulator } from "../../emulator/emulator.ts";
import instagram from "../../src/index.ts";

const PRODUCT = {
  id: 1,
  name: "Rope",
  article: "R-7",
  cost: { value: 3, currency: "EUR" },
  unit: "m",
  image: "https://shop.example/rope.png",
  url: "https://shop.example/rope",
};

async function account() {
  const stage = await talking(instagram, createEmulator, {}, APP.id);
  const { emulator, settings, send } = stage;
  const stepsOf = (more: object = {}, text?: string) => {
    const content = { type: "product" as const, product: { ...PRODUCT, ...more }, ...(text && { text }) };
    const message = { type: "message", gatewayMessageId: "1", chat: "c", content, suggestions: [] };
    const capabilities = instagram.capabilities(instagram.settings.parse(settings));
    return planMessage(message as unknown as OutboundMessage, capabilities).steps as SendStep[];
  };
  const sendAll = async (steps: SendStep[]) => {
    for (const [n, step] of steps.entries()) await send(step, `k${n}`);
  };
  /** What Instagram was asked to show; each request fits the published contract. */
  const asked = () => {
    const judge = contractJudge("instagram");
    const entries = emulator.core.journal.entries().filter(({ operation }) => operation === "send");
    if (judge) expect(entries.flatMap(judge)).toEqual([]);
    return entries.map(({ request }) => (request as { message: object }).message);
  };
  return { ...stage, stepsOf, sendAll, asked };
}

describe("a product on Instagram", () => {
  it("is one card with its picture, price and a button to its page, after the agent's own words", async () => {
    const { stepsOf, sendAll, asked, sent } = await account();
    await sendAll(stepsOf({}, "This one?"));
    const element = {
      title: "Rope",
      subtitle: "R-7 · €3 / m",
      image_url: PRODUCT.image,
      default_action: { type: "web_url", url: PRODUCT.url },
      buttons: [{ type: "web_url", title: "View", url: PRODUCT.url }],
    };
    expect(asked()).toEqual([
      { text: "This one?" },
      { attachment: { type: "template", payload: { template_type: "generic", elements: [element] } } },
    ]);
    expect(sent()).toHaveLength(2);
  });

  it.each([
    ["a name", { name: "R".repeat(81) }],
    ["an article", { article: "R".repeat(75) }],
  ])("with %s that is too long for a card is a picture and a text", async (_, more) => {
    const { stepsOf } = await account();
    const steps = stepsOf(more);
    expect(steps.map(({ kind, card }) => [kind, card])).toEqual([
      ["image", undefined],
      ["text", undefined],
    ]);
    expect(steps[1]?.text).toContain("€3 / m");
  });

  it("comes in words if Meta cannot fetch its picture", async () => {
    const { stepsOf, sendAll, emulator, sent } = await account();
    emulator.core.faults.plan({ operation: "send", code: 100, subcode: 2018008 } as never);
    await sendAll(stepsOf());
    expect(sent().map(({ text }) => text)).toEqual([
      "Rope (R-7)\n€3 / m\nhttps://shop.example/rope\nhttps://shop.example/rope.png",
    ]);
  });

  it("that perhaps arrived is settled by the card's echo", async () => {
    const { stepsOf, session, emulator, target, send, sent, eventsAfter } = await account();
    const [card] = stepsOf();
    if (!card) throw new Error("a product is a step");
    emulator.core.faults.plan({ operation: "send", when: "after", status: 502, body: "html" } as never);
    const events = await eventsAfter(() =>
      expect(send(card, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } }),
    );
    expect(events).toEqual([]);
    const found = await session.lookup?.(card, { ...target("doubt"), since: 0 }, fresh());
    expect(found).toMatchObject({ found: "arrived", parts: [{ messengerMessageId: sent()[0]?.mid }] });
  });
});
