import { agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { runningDemo } from "../../support/demo.ts";
import { until } from "../../support/until.ts";

/** A person's phone and an agent's inbox, each in a tab. */
async function twoTabs() {
  const demo = await runningDemo({ bots: true });
  const browser = await startBrowser();
  // Separate windows: a background tab renders only once a second.
  const shape = { viewport: { width: 1180, height: 860 } };
  const [phone, inbox] = [await browser.newPage(shape), await browser.newPage(shape)];
  const wrong: string[] = [];
  for (const page of [phone, inbox]) {
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("dialog", (dialog) => wrong.push(`a dialog: ${dialog.message()}`));
  }
  await phone.goto(`${demo.sandbox.origin}/phone`);
  await inbox.goto(`${demo.sandbox.origin}/inbox`);
  await phone.getByRole("button", { name: "Start Harbour" }).click();
  const agent = agentAt(demo.sandbox.origin);
  const chat = await until("the chat in the inbox", async () => (await agent.chats())[0]);
  return { ...demo, phone, inbox, agent, chat: chat.id, wrong };
}

const said = (page: Page, text: string, from: "me" | "bot" = "bot") =>
  page.locator(`.message[data-from=${from}]`, { hasText: text }).first();
async function attach(phone: Page, name: string) {
  await phone.getByLabel("Attach", { exact: true }).click();
  await phone.getByRole("menuitem", { name, exact: true }).click();
}
const write = async (phone: Page, text: string) => {
  await phone.getByLabel("Message", { exact: true }).fill(text);
  await phone.keyboard.press("Enter");
};

describe("a person on the phone page and an agent in the inbox", () => {
  it("exchange every kind of message", async () => {
    const { phone, inbox, agent, chat, wrong, sandbox } = await twoTabs();
    const got = async (type: string, text: string) =>
      until(`${type} "${text}"`, async () =>
        (await agent.messages(chat)).find((m) => m.from === "customer" && m.type === type && m.text.includes(text)),
      );
    await write(phone, "Do you have blue rope? <img src=x onerror=alert(1)>");
    await got("text", "blue rope");
    await attach(phone, "Draw a picture");
    await phone.getByText("picture.png").waitFor();
    await write(phone, "like this");
    await got("image", "like this");
    for (let n = 1; n <= 2; n++) {
      await attach(phone, "Draw a picture");
      await phone
        .locator("#attachments span")
        .nth(n - 1)
        .waitFor();
    }
    await write(phone, "an album");
    expect((await got("image", "an album")).files).toHaveLength(2);
    await attach(phone, "Record a voice message");
    await phone.getByText("voice.wav").waitFor();
    await phone.getByLabel("Send").click();
    await got("audio", "");
    await attach(phone, "Sticker");
    await got("image", "🐙");
    await attach(phone, "My contact");
    await got("text", "+34600123456");
    await attach(phone, "Venue");
    await got("text", "Old quay");
    await attach(phone, "Poll");
    await got("text", "Which rope?");
    await attach(phone, "Dice");
    await got("text", "🎲");

    await inbox.locator(`[data-chat="${chat}"]`).click();
    await inbox.locator("#messages").getByText("Old quay").first().waitFor();
    await takePicture(inbox, "telegram-inbox");

    await agent.say(chat, { text: "Yes: three euros a metre", suggestions: [{ type: "text", title: "Ten metres" }] });
    await said(phone, "three euros").waitFor();
    await phone.getByRole("button", { name: "Ten metres" }).waitFor();
    await takePicture(phone, "telegram-phone");
    await phone.getByRole("button", { name: "Ten metres" }).click();
    await got("text", "Ten metres");
    const answer = await until("the ack", async () =>
      (await agent.messages(chat)).find((m) => m.text.startsWith("Yes") && m.externalId),
    );
    await agent.edit(answer.id, "Yes: four euros a metre");
    // Telegram cannot edit a message with a keyboard: each edit replaces it.
    await said(phone, "four euros").waitFor();
    await agent.edit(answer.id, "Yes: still four euros a metre");
    await said(phone, "still four euros").waitFor();

    await said(phone, "four euros").hover();
    await said(phone, "four euros").getByRole("button", { name: "Reply" }).click();
    await write(phone, "Fine with me");
    expect((await got("text", "Fine with me")).quote?.id).toBe(answer.id);
    await said(phone, "four euros").hover();
    await said(phone, "four euros").getByRole("button", { name: "React 👍" }).click();
    const { world } = sandbox.sandbox;
    const reactions = () => world.messages.find(({ id }) => id === answer.id)?.reactions ?? [];
    await until("the reaction", () => reactions().some(({ content }) => content === "👍"));
    await said(phone, "four euros").getByRole("button", { name: "My reaction 👍" }).click();
    await until("no reaction", () => reactions().length === 0);

    await said(phone, "Fine with me", "me").hover();
    await said(phone, "Fine with me", "me").getByRole("button", { name: "Edit" }).click();
    await write(phone, "Fine with us");
    await got("text", "Fine with us");
    await agent.say(chat, { text: "Wrong window" });
    await said(phone, "Wrong window").waitFor();
    const wrongOne = await until("its ack", async () =>
      (await agent.messages(chat)).find((m) => m.text === "Wrong window" && m.externalId),
    );
    // This message removed the keyboard, so Telegram cannot edit it either; its replacement can be edited.
    await agent.edit(wrongOne.id, "Wrong window, pardon");
    await said(phone, "pardon").waitFor();
    await agent.edit(wrongOne.id, "Wrong window, sorry");
    await said(phone, "sorry").locator(".edited").waitFor();
    await agent.remove(wrongOne.id);
    await said(phone, "Wrong window").waitFor({ state: "detached" });

    await phone.getByRole("button", { name: "Block" }).click();
    await until("the note", async () =>
      (await agent.messages(chat)).some(({ text }) => text === "The customer has blocked the bot."),
    );
    const lost = await agent.say(chat, { text: "Still there?" });
    const failed = await until("the refusal", async () =>
      (await agent.messages(chat)).find((m) => m.id === lost && m.status === "failed"),
    );
    expect(failed.error?.code).toBe("access_restricted");
    expect(wrong).toEqual([]);
    expect(sandbox.sandbox.calls.entries(true)).toEqual([]);
    expect(sandbox.sandbox.telegram.calls.list().entries.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it("works on a page 360 pixels wide, and shows hostile text as text", async () => {
    const { phone, sandbox, wrong } = await twoTabs();
    const phones = phonesAt(`${sandbox.origin}/telegram`);
    const [person] = await phones.people();
    const [bot] = await phones.bots();
    const hostile = '<script>alert(1)</script> javascript:alert(1) "><img src=x onerror=alert(1)>';
    const marks = [{ type: "text_link", offset: 0, length: 8, url: "javascript:alert(1)" }];
    await phones.say(person?.id ?? 0, bot?.id ?? 0, { text: hostile, marks });
    await phone.setViewportSize({ width: 360, height: 740 });
    await phone.locator(".message .text", { hasText: hostile }).waitFor();
    expect(await phone.locator('a[href^="javascript"], .message script, .message img').count()).toBe(0);
    expect(await phone.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    await takePicture(phone, "telegram-phone-narrow");
    expect(wrong).toEqual([]);
  });
});
