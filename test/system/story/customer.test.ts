import { agentAt } from "gangway-sandbox/demo/agent";
import { expect, it } from "vitest";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { runningDemo } from "../../support/demo.ts";
import { until } from "../../support/until.ts";

it("an agent sees the customer's phone, e-mail and origin on the card, and pictures as pictures", async () => {
  const demo = await runningDemo();
  const { world } = demo.sandbox.sandbox;
  const browser = await startBrowser();
  const shop = await browser.newPage({ viewport: { width: 390, height: 780 } });
  const input = shop.locator("[data-part=input]");
  // The visitor lands from a newsletter and follows a link to another page before writing.
  await shop.goto(`${demo.shop}&utm_source=newsletter&utm_campaign=spring`);
  await shop.locator("[data-part=launcher]").waitFor();
  await Promise.all([shop.waitForEvent("load"), shop.evaluate(`location.assign(${JSON.stringify(demo.shop)})`)]);
  await shop.locator("[data-part=launcher]").click();
  await input.fill("Do you ship to Malta?");
  await input.press("Enter");
  await shop.locator("[data-status=delivered]").waitFor();
  const customer = () => [...world.customers.values()].find(({ utm }) => utm !== null);
  expect(customer()?.utm).toMatchObject({ source: "newsletter", campaign: "spring" });

  const agent = agentAt(demo.sandbox.origin);
  const chat = (await until("the chat in the inbox", async () => (await agent.chats())[0])).id;
  const answers = [
    ["phone", "Leave a number", "+356 2123 4567"],
    ["email", "Leave an address", "robin@shop.example"],
  ] as const;
  for (const [type, title, words] of answers) {
    await agent.say(chat, { text: `We call you (${type}).`, suggestions: [{ type, title }] });
    await shop.locator(`[data-suggestion=${type}]`).click();
    await input.fill(words);
    await takePicture(shop, `widget-asked-${type}`);
    await input.press("Enter");
    await shop.locator("[data-status=delivered]", { hasText: words }).waitFor();
  }
  expect(customer()).toMatchObject({ phone: "+35621234567", email: "robin@shop.example" });

  const picture = { name: "deck.png", mimeType: "image/png", buffer: await shop.screenshot() };
  const paper = { name: "plan.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") };
  await shop.locator("[data-part=file]").setInputFiles([paper, picture]);
  await shop.locator(".chip[data-state=ready]").nth(1).waitFor();
  await input.fill("my deck, and a plan");
  await input.press("Enter");
  await shop.locator("[data-status=delivered]", { hasText: "plan.pdf" }).waitFor();
  await takePicture(shop, "widget-picture-and-paper");
  const received = world.messages.slice(-2).map(({ type, note, items }) => [type, note, items.length]);
  expect(received).toEqual([
    ["image", "my deck, and a plan", 1],
    ["file", "", 1],
  ]);
  expect(await shop.locator("[data-message]", { hasText: "plan.pdf" }).count()).toBe(1);

  const long = "terms and conditions ".repeat(500).trim();
  await agent.say(chat, { text: long });
  await expect.poll(() => shop.locator("[data-from=agent]", { hasText: "terms" }).count()).toBe(3);
  const pieces = await shop.locator("[data-from=agent] .text", { hasText: "terms" }).allTextContents();
  expect(pieces.join(" ")).toBe(long);
});
