import { beforeAll, describe, expect, it } from "vitest";
import { accountForms } from "../../support/account-form.ts";
import { startBrowser, takePicture, tileOf } from "../../support/browser.ts";
import { runningDemo } from "../../support/demo.ts";
import { afterTests } from "../../support/store.ts";

describe("a visitor and an agent, side by side in a browser", () => {
  it("talk in both directions with text, pictures, quotes, edits, quick replies and marks", async () => {
    const demo = await runningDemo();
    const browser = await startBrowser();
    const problems: string[] = [];
    const shop = await browser.newPage({ viewport: { width: 1000, height: 760 } });
    const inbox = await browser.newPage({ viewport: { width: 1100, height: 760 } });
    for (const page of [shop, inbox]) {
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (line) => {
        if (/Content Security Policy|Refused to/.test(line.text())) problems.push(line.text());
      });
    }
    await shop.goto(demo.shop);
    await inbox.goto(`${demo.sandbox.origin}/inbox`);

    await shop.locator("[data-part=launcher]").click();
    const input = shop.locator("[data-part=input]");
    await input.fill("Hello! Do you ship to Malta? 🚢");
    await input.press("Enter");

    await inbox.locator("[data-chat]").first().click();
    await inbox.getByText("Hello! Do you ship to Malta?").last().waitFor();
    await shop.locator("[data-from=visitor][data-status=read]").waitFor();

    await inbox.locator("#reply").fill("We do, in three days. Shall I quote a price?");
    await inbox.locator("#suggestions").fill("Yes, please\nNo, thank you");
    await inbox.locator("#send").click();
    await shop.getByText("We do, in three days.").waitFor();
    await inbox.locator("[data-from=user][data-status=seen]").waitFor();
    await takePicture(shop, "widget-suggestions");
    await shop.locator("[data-suggestion=text]").first().click();
    await inbox.getByText("Yes, please", { exact: true }).last().waitFor();

    await shop
      .locator("[data-part=file]")
      .setInputFiles({ name: "my deck.png", mimeType: "image/png", buffer: await shop.screenshot() });
    await shop.locator(".chip").waitFor();
    await input.fill("This is my deck");
    await shop.locator("[data-part=send]").click();
    await inbox.locator(".message img").waitFor();
    await inbox.waitForFunction(`document.querySelector(".message img").naturalWidth > 0`);

    const deck = inbox.locator("[data-from=customer]", { hasText: "This is my deck" });
    await deck.locator("[data-action=quote]").click();
    await inbox
      .locator("#attach")
      .setInputFiles([{ name: "offer.png", mimeType: "image/png", buffer: await inbox.screenshot() }]);
    await inbox.getByText("1 attached").waitFor();
    await inbox.locator("#reply").fill("Then this is yuor offer");
    await inbox.locator("#send").click();
    const offer = shop.locator("[data-from=agent]", { hasText: "offer" }).last();
    await offer.locator("img").waitFor();
    // waitForFunction needs eval, which the shop's CSP forbids.
    const width = () =>
      offer.locator("img").evaluate((image: unknown) => (image as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBeGreaterThan(0);
    expect(await offer.locator(".quoted").textContent()).toContain("This is my deck");

    await inbox.locator("[data-from=user]", { hasText: "yuor offer" }).locator("[data-action=edit]").click();
    await inbox.locator("#edit-field").fill("Then this is your offer");
    await inbox.getByRole("button", { name: "Save" }).click();
    await shop.getByText("Then this is your offer").waitFor();
    await inbox.locator("#reply").fill("(wrong window)");
    await inbox.locator("#send").click();
    const wrong = inbox.locator("[data-from=user]", { hasText: "(wrong window)" });
    await wrong.locator("[data-action=delete]").click();
    await shop.getByText("This message was deleted").waitFor();

    await takePicture(shop, "widget");
    await takePicture(inbox, "inbox");
    // It stays open.
    await shop.reload();
    await shop.getByText("Then this is your offer").waitFor();
    expect(await shop.locator("[data-message]").count()).toBe(6);
    expect(await shop.context().cookies(demo.sandbox.origin)).toEqual([]);
    expect(await shop.evaluate("document.cookie")).toBe("");
    expect(problems).toEqual([]);
    expect(demo.sandbox.sandbox.calls.entries(true)).toEqual([]);
  });

  it("lose nothing when the server dies, and the widget later sends what was written meanwhile", async () => {
    const demo = await runningDemo();
    const browser = await startBrowser();
    const shop = await browser.newPage();
    await shop.goto(demo.shop);
    await shop.locator("[data-part=launcher]").click();
    const input = shop.locator("[data-part=input]");
    await input.fill("before");
    await input.press("Enter");
    await shop.locator("[data-status=delivered]").waitFor();
    await demo.server.kill("SIGKILL");
    await input.fill("meanwhile");
    await input.press("Enter");
    await shop.locator("[data-status=sending]").waitFor();
    await shop.locator(".offline:not([hidden])").waitFor();
    await takePicture(shop, "widget-offline");
    await demo.server.start();
    await shop.locator("[data-status=delivered]", { hasText: "meanwhile" }).waitFor({ timeout: 60_000 });
    expect(demo.sandbox.sandbox.world.messages.map((message) => message.text)).toEqual(["before", "meanwhile"]);
  });
});

describe("a widget whose server goes on running", () => {
  let demo: Awaited<ReturnType<typeof runningDemo>>;
  const ending = afterTests();
  beforeAll(async () => {
    demo = await runningDemo({ ending });
  });

  it("shows the reason of a refused file, which may be tried again", async () => {
    const browser = await startBrowser();
    const shop = await browser.newPage();
    let refused = 0;
    await shop.route(`${demo.door}/files`, async (route) => {
      if (route.request().method() !== "POST" || refused > 0) return route.continue();
      refused += 1;
      const body = JSON.stringify({ error: { message: "This chat takes no more files for now" } });
      const headers = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };
      return route.fulfill({ status: 503, headers: { ...headers, "retry-after": "3600" }, body });
    });
    await shop.goto(demo.shop);
    await shop.locator("[data-part=launcher]").click();
    // Once the chat knows what the shop asks of its visitors.
    await shop.locator("[data-part=input]:enabled").waitFor();
    const file = { name: "deck.txt", mimeType: "text/plain", buffer: Buffer.from("my deck") };
    await shop.locator("[data-part=file]").setInputFiles(file);
    await shop.getByText("deck.txt could not be uploaded. This chat takes no more files for now").waitFor();
    await shop.locator(".chip .link").click();
    await shop.locator(".chip[data-state=ready]").waitFor();
  });

  it("takes a file before the chat is open, and uploads it then", async () => {
    const browser = await startBrowser();
    const shop = await browser.newPage();
    const gate = Promise.withResolvers<void>();
    await shop.route(`${demo.door}/open`, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await shop.goto(demo.shop);
    await shop.locator("[data-part=launcher]").click();
    await shop.locator("[data-part=input]:enabled").waitFor();
    const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("my sails") });
    await shop.locator("[data-part=file]").setInputFiles(Array.from({ length: 11 }, (_, n) => file(`sail ${n}.txt`)));
    await expect.poll(() => shop.locator(".chip[data-state=busy]").count()).toBe(11);
    gate.resolve();
    await shop.getByText("Please send at most 10 files at once.").waitFor();
    await shop.locator("[data-part=send]").click();
    await shop.locator("[data-from=visitor]", { hasText: "sail 9.txt" }).last().waitFor();
    expect(await shop.getByText("sail 10.txt").count()).toBe(0);
  });

  it("can be used with the keyboard alone", async () => {
    const browser = await startBrowser();
    const shop = await browser.newPage({ viewport: { width: 390, height: 780 }, colorScheme: "dark" });
    await shop.goto(demo.shop);
    await shop.locator("[data-part=launcher]").focus();
    await shop.keyboard.press("Enter");
    await shop.locator("[data-part=input]:focus").waitFor();
    await shop.keyboard.type("typed");
    await shop.keyboard.press("Enter");
    await shop.locator("[data-from=visitor]", { hasText: "typed" }).waitFor();
    await takePicture(shop, "widget-phone-dark");
    await shop.keyboard.press("Escape");
    await shop.locator("[data-part=panel]").waitFor({ state: "hidden" });
    expect(
      await shop.evaluate(`document.querySelector("gangway-chat").shadowRoot.activeElement.getAttribute("data-part")`),
    ).toBe("launcher");
  });

  it("speaks the visitor's language, unless the site asks for another, and the channel's where it knows neither", async () => {
    const forms = await accountForms(demo.server.origin, demo.sandbox.origin);
    await forms.speak("es");
    const browser = await startBrowser();
    const launcher = { ru: "Открыть чат", de: "Chat öffnen", es: "Abrir el chat" };
    const speaks = async (locale: string, lang: string | undefined, language: keyof typeof launcher) => {
      const shop = await browser.newPage({ locale });
      await shop.goto(`${demo.sandbox.origin}/shop.css`);
      await shop.setContent(`<html lang="nl"><body></body></html>`);
      await shop.evaluate(`{
        const line = Object.assign(document.createElement("script"), { src: "${demo.server.origin}/channels/webchat/widget.js" });
        Object.assign(line.dataset, ${JSON.stringify({ channel: demo.channel, lang })});
        document.head.append(line);
      }`);
      await shop.getByRole("button", { name: launcher[language], exact: true }).waitFor();
    };
    await speaks("de-AT", undefined, "de");
    await speaks("de-AT", "ru", "ru");
    await speaks("nl", undefined, "es");
  });
});

describe("an account user in a browser", () => {
  it("comes from the marketplace card, connects, adds a web chat, and comes back from the module's card", async () => {
    const demo = await runningDemo();
    const browser = await startBrowser();
    const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
    const problems: string[] = [];
    page.on("console", (line) => {
      if (/Content Security Policy|Refused to/.test(line.text())) problems.push(line.text());
    });
    await page.goto(demo.sandbox.origin);
    await page.getByText("Connect the module").click();
    expect(await page.inputValue("#crmUrl")).toBe(demo.sandbox.origin);
    // Its script, too: without it the browser sends the form itself, and the key is gone.
    await page.waitForLoadState();
    await page.fill("#apiKey", "wrong");
    await page.click("button");
    await page.getByText("Your CRM does not recognise this API key.").first().waitFor();
    // The words may come from the check of the field, before the form's own answer moves the focus.
    await page.locator("#apiKey:focus").waitFor();
    // The page was not left: a mistake elsewhere would not cost the key.
    expect(await page.inputValue("#apiKey")).toBe("wrong");
    await takePicture(page, "connect-wrong-key");
    await page.fill("#apiKey", "sandbox-key");
    await page.click("button");
    await page.getByText("Your account is connected again").waitFor();
    await page.getByRole("link", { name: "Add a channel" }).click();
    await tileOf(page, "Web chat").click();
    await page.getByText("More options").click();
    await page.fill("#add-webchat-name", "Second chat");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("The channel is connected.").waitFor();
    await page.getByRole("link", { name: "Open a test page with this chat" }).click();
    await page.locator("[data-part=launcher]").click();
    await page.locator("[data-part=input]").fill("Is anybody there?");
    await page.keyboard.press("Enter");
    await page.locator("[data-status=delivered]").waitFor();
    await takePicture(page, "try-webchat");
    expect(demo.sandbox.sandbox.world.messages.map(({ text }) => text)).toEqual(["Is anybody there?"]);
    await page.getByRole("link", { name: "Second chat" }).click();
    // The window beside the settings shows what is typed there.
    await page.getByRole("link", { name: "Settings" }).last().click();
    await page.setViewportSize({ width: 1360, height: 900 });
    await page.getByRole("link", { name: "What will the customer get?" }).click();
    const title = page.locator("#designed-title");
    await page.locator("[data-part=panel]").waitFor();
    await title.fill("Ropes and brass");
    await page.locator("[data-part=panel]").getByRole("heading", { name: "Ropes and brass" }).waitFor();
    await takePicture(page, "webchat-design");
    await page.locator("#design").getByRole("button", { name: "Save" }).click();
    await page.getByText("The settings are saved.").waitFor();
    await page.getByRole("link", { name: "Channels" }).first().click();
    await takePicture(page, "account", { fullPage: true });
    await expect.poll(() => page.locator("section[data-channel]").count()).toBe(2);

    const phone = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme: "dark" });
    const crm = await phone.newPage();
    await crm.goto(demo.sandbox.origin);
    const [account] = await Promise.all([phone.waitForEvent("page"), crm.getByText("Open the account page").click()]);
    await account.getByText("Second chat").first().waitFor();
    expect(account.url()).toMatch(/\/account\/[\w-]{22}$/);
    await takePicture(account, "account-phone-dark", { fullPage: true });
    await account.getByRole("link", { name: "Second chat" }).click();
    await account.getByRole("link", { name: "Pause or remove" }).click();
    // A link becomes a dialog by the page's script.
    await account.getByRole("link", { name: "Remove this channel" }).waitFor();
    await account.waitForLoadState();
    await account.getByRole("link", { name: "Remove this channel" }).click();
    await account.getByRole("dialog").getByRole("button", { name: "Remove this channel" }).click();
    await account.getByText("The channel is removed.").waitFor();
    expect(problems).toEqual([]);
  });
});
