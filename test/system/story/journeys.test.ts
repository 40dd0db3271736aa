import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { takePicture } from "../../support/browser.ts";
import { afterTests } from "../../support/store.ts";
import { until } from "../../support/until.ts";
import { openShop, type Shop } from "./journey.ts";

let shop: Shop;
const ending = afterTests();
beforeAll(async () => {
  shop = await openShop(ending);
});
afterEach(() => shop.isClean());

/** A page is complete once its script has run, which makes dialogs of links and takes words out of the address. */
const press = async (page: Page, name: string) => {
  await page.waitForLoadState();
  await page.getByRole("button", { name, exact: true }).click();
};
const follow = async (page: Page, name: string) => {
  await page.waitForLoadState();
  await page.getByRole("link", { name, exact: true }).first().click();
};
/** Figures come by themselves every ten seconds; a person who waits for one reloads. */
const reloadUntil = (page: Page, text: RegExp) =>
  until(`the page to say ${text}`, async () => {
    if (text.test(await page.locator("main").innerText())) return true;
    await page.waitForTimeout(250);
    await page.reload();
    return false;
  });

describe("connecting", () => {
  it("in one click from the marketplace leads to the account's page", async () => {
    const { newTab, sandbox, server } = shop;
    const { context, crm } = await newTab();
    await crm.goto(sandbox.origin);
    await crm.getByText("Connect a module in one click").click();
    await crm.locator("input[name=configUrl]").fill(`${server.origin}/connect`);
    await crm.locator("input[name=secret]").fill("sandbox-secret");
    await press(crm, "Connect in one click");
    await crm.getByText("Connected. The module's card below").waitFor();
    const [page] = await Promise.all([context.waitForEvent("page"), press(crm, "Open the account page")]);
    await page.getByRole("heading", { name: "Channels" }).waitFor();
    await follow(page, "Activity");
    await page.getByText("The account was connected again").waitFor();
  });
});

describe("a messenger", () => {
  it("is paused and resumed, and nothing that customers write meanwhile is lost", async () => {
    const { bot, page: at } = await shop.newBot("Pausing bot");
    const customer = await shop.newCustomer(bot, "Pia");
    const page = await shop.comeIn();
    await follow(page, "Pausing bot");
    await follow(page, "Pause or remove");
    await press(page, "Pause this channel: Pausing bot");
    await page.getByText("The channel is paused.").waitFor();
    await page.locator("[data-word=paused]").waitFor();
    await customer.say("while paused");
    await page.goto(at);
    await reloadUntil(page, /1 on its way/);
    expect((await customer.inbox()).map(({ text }) => text)).not.toContain("while paused");
    await takePicture(page, "journey-paused", { fullPage: true });
    await press(page, "Resume: Pausing bot");
    await page.getByText("The channel works again.").waitFor();
    await until("the message", async () => (await customer.inbox()).some(({ text }) => text === "while paused"));
    await page.context().close();
  });

  it("whose token was revoked gets a new one, keeps its chats, and the CRM's users are told once of each", async () => {
    const { bot, page: at } = await shop.newBot("Renewed bot");
    const customer = await shop.newCustomer(bot, "Tom");
    const chats = (await shop.agent.chats()).length;
    const { token } = await shop.phones.ask<{ token: string }>("POST", `/phone/api/bots/${bot.id}/revoke`);
    await shop.agent.say(customer.chat, { text: "Are you there?" });
    const told = () => shop.notifications().filter((message) => message.includes("Renewed bot"));
    await until("the CRM's users to be told", () => told().length > 0);
    expect(told()[0]).toMatch(/Get the new one from @BotFather/);

    // The notification's address opens nothing without a visit; from the CRM's card it does.
    const link = /https?:\S+/.exec(told()[0] ?? "")?.[0] ?? "";
    expect(link).toBe(at);
    const { crm: stranger } = await shop.newTab();
    await stranger.goto(link);
    await stranger.getByRole("heading", { name: "Open this page from your CRM" }).waitFor();
    expect(await stranger.locator("main").innerText()).not.toContain("Renewed bot");
    const page = await shop.comeIn();
    await page.goto(link);
    await page.getByRole("alert").getByText("no longer accepts this bot's token").waitFor();
    await takePicture(page, "journey-stopped", { fullPage: true });

    await page.locator(".tabs").getByText("Settings").click();
    await page.locator("#settings").getByLabel("Bot token").fill(token);
    await press(page, "Save: Renewed bot");
    await page.getByText("The settings are saved.").waitFor();
    await until("what waited", async () => (await customer.heard()).some(({ text }) => text === "Are you there?"));
    await customer.say("Yes, I am");
    await until("the answer", async () => (await customer.inbox()).some(({ text }) => text === "Yes, I am"));
    expect(await shop.agent.chats()).toHaveLength(chats);
    await until("the CRM's users to be told again", () => told().length > 1);
    expect(told().map((message) => message.replace(/.* – .*/, "broken"))).toEqual([
      "broken",
      "Gangway: Renewed bot works again.",
    ]);

    await follow(page, "Pause or remove");
    await follow(page, "Remove this channel");
    const asked = page.getByRole("dialog", { name: "Remove Renewed bot?" });
    await asked.getByText("Cancel").click();
    await asked.waitFor({ state: "detached" });
    await follow(page, "Remove this channel");
    await asked.getByRole("button", { name: "Remove this channel" }).click();
    await page.getByText("The channel is removed.").waitFor();
    await follow(page, "Activity");
    for (const act of ["A channel was added", "A channel's settings were changed", "A channel was removed"])
      await page.getByText(act).first().waitFor();
    await page.context().close();
  });
});

/** Messages that a customer did not get because they had blocked the bot, newest first on the page. */
async function undelivered(name: string, texts: string[]) {
  const { bot } = await shop.newBot(`${name}'s bot`);
  const customer = await shop.newCustomer(bot, name);
  await customer.block(true);
  for (const text of texts) await shop.agent.say(customer.chat, { text });
  await until(
    "the failures",
    async () => (await customer.inbox()).filter(({ error }) => error).length === texts.length,
  );
  const page = await shop.comeIn();
  await follow(page, "See undelivered messages");
  /** The messages of this bot. Without another reason or bot, there is no choice. */
  const choose = async () => {
    const reason = page.locator(".groups a", { hasText: `${name}'s bot` });
    if ((await reason.count()) > 0) await reason.click();
  };
  await choose();
  return { customer, page, choose, rows: () => page.locator(".jobs > li") };
}

describe("messages that were not delivered", () => {
  it("say who, what and why, and are sent again or discarded: one, some, all of a reason", async () => {
    const texts = ["first offer", "second offer", "third offer", "fourth offer", "fifth offer"];
    const { customer, page, choose, rows } = await undelivered("Uma", texts);
    const said = await rows().first().innerText();
    expect(said).toMatch(/Uma[\s\S]*fifth offer[\s\S]*The customer has blocked the bot\./);
    // The meaning of the gateway's code would be vaguer.
    expect(said).not.toContain("does not allow");
    await takePicture(page, "journey-undelivered", { fullPage: true });
    const discard = async () => {
      await page.waitForLoadState();
      await rows().first().getByRole("button", { name: "Discard: Uma" }).click();
    };
    await discard();
    await press(page, "Undo");
    await page.getByText("The message is back among the undelivered ones.").waitFor();
    await expect.poll(() => rows().count()).toBe(5);
    await discard();
    await page.getByText("The message was discarded.").waitFor();
    await expect.poll(() => rows().count()).toBe(4);
    await page.waitForURL((url) => !url.searchParams.has("done"));
    await page.reload();
    expect(await page.getByText("The message was discarded.").count()).toBe(0);
    expect(await rows().count()).toBe(4);

    await customer.block(false);
    const heard = async () => (await customer.heard()).map(({ text }) => text);
    const arrival = (text: string) => until(text, async () => (await heard()).includes(text));
    await rows().first().getByRole("button", { name: "Send again: Uma" }).click();
    await page.getByText("The message is on its way again.").waitFor();
    await arrival("fourth offer");
    for (const n of [0, 1]) await rows().nth(n).getByRole("checkbox", { name: "Select the message of Uma" }).check();
    await press(page, "Discard selected");
    await page.getByText("2 messages were discarded.").waitFor();
    await choose();
    await follow(page, "Act on this message");
    await press(page, "Send it again");
    await page.getByText("The message is on its way again.").waitFor();
    await arrival("first offer");
    expect(await heard()).toEqual(["fourth offer", "first offer"]);
    await page.context().close();
  });
});

describe("the story of a message", () => {
  it("is found by customer, words, id and error, and the message is sent again from it", async () => {
    const { customer, page } = await undelivered("Sven", ["the blue rope is back"]);
    const [failed] = (await customer.inbox()).filter(({ error }) => error);
    await follow(page, "Delivery details: Sven");
    await page.getByText("It was not delivered:").waitFor();
    const [error = ""] = (await page.getByText("It was not delivered:").innerText()).split("\n");
    await follow(page, "Messages");
    for (const text of ["sven", "BLUE rope", String(failed?.id), error.split(": ").at(-1) ?? ""]) {
      await page.getByLabel("What to look for").fill(text);
      await press(page, "Search");
      await page.getByRole("link", { name: "Delivery details: Sven, the blue rope is back" }).waitFor();
    }
    await follow(page, "Delivery details: Sven, the blue rope is back");
    await customer.block(false);
    await press(page, "Send again");
    await page.getByText("The message is on its way again.").waitFor();
    await until("the message", async () => (await customer.heard()).length === 1);
    await page.goBack();
    await reloadUntil(
      page,
      /A message was sent again[\s\S]*It reached the messenger[\s\S]*The agent has been notified/,
    );
    await takePicture(page, "journey-story", { fullPage: true });
    await page.context().close();
  });
});

describe("a customer's data", () => {
  it("are found, erased after a question, and no longer found", async () => {
    const { bot } = await shop.newBot("Erasing bot");
    await shop.newCustomer(bot, "Erasmus");
    const page = await shop.comeIn();
    await follow(page, "Customer data");
    const search = async () => {
      await page.getByLabel("Customer or words").fill("erasmus");
      await press(page, "Search");
    };
    await search();
    await press(page, "Erase… Erasmus");
    await page.getByText("Everything that this server keeps about Erasmus in Erasing bot").waitFor();
    await press(page, "Erase for good");
    await page.locator("[data-receipt]").getByText("1 message", { exact: true }).waitFor();
    await takePicture(page, "journey-receipt", { fullPage: true });
    await page.locator("[data-receipt]").getByRole("link", { name: "Back" }).click();
    await search();
    await page.getByText("Nothing on this server contains “erasmus”.").waitFor();
    await page.context().close();
  });
});

describe("a sign-in", () => {
  it("is ended from another one, and the CRM's card opens the page anew", async () => {
    const [here, there] = [await shop.comeIn(), await shop.comeIn()];
    await follow(here, "Activity");
    const others = here.locator("li", { has: here.getByRole("button", { name: "Sign out there" }) });
    await others.first().waitFor();
    await press(here, "Sign out everywhere else");
    await here.getByText("Signed out.").waitFor();
    await expect.poll(() => others.count()).toBe(0);
    await there.reload();
    await there.getByRole("heading", { name: "Open this page from your CRM" }).waitFor();
    const again = await shop.comeIn();
    await press(again, "Sign out");
    await again.getByText("You have signed out.").waitFor();
    expect(new URL(again.url()).pathname).toBe("/");
    for (const page of [here, there, again]) await page.context().close();
  });
});

describe("disconnecting", () => {
  it("removes the messengers, switches the module off, and connecting by hand brings it back", async () => {
    await shop.newBot("Last bot");
    const page = await shop.comeIn();
    const home = page.url();
    await follow(page, "Settings");
    await follow(page, "Disconnect");
    await page.getByText("These channels are removed:").getByText("Last bot").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("The account is disconnected, and the module is switched off in the CRM.").waitFor();
    const { world } = shop.sandbox.sandbox;
    expect(world.modules.get("gangway")?.active).toBe(false);
    expect([...world.channels.values()].filter(({ active }) => active)).toEqual([]);
    await page.goto(home);
    await page.getByRole("heading", { name: "Open this page from your CRM" }).waitFor();
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await page.locator("#crmUrl").fill(shop.sandbox.origin);
    await page.locator("#apiKey").fill("sandbox-key");
    await press(page, "Connect");
    await page.getByText("Your account is connected again").waitFor();
    expect(world.modules.get("gangway")?.active).toBe(true);
  });
});
