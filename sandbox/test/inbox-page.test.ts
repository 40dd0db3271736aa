import type { Locator, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { takePicture } from "../../test/support/browser.ts";
import { LONG } from "../../test/support/long.ts";
import { serveSandbox } from "../src/serve.ts";
import { chatOf, type Gateway, gatewayWith, inboxAt, SETTINGS, said } from "./inbox.ts";

const scroll = (page: Page, part: string, to: "start" | "end") =>
  page.evaluate(`document.querySelector("${part}").scrollTop = ${to === "end" ? 1e9 : 0}`);
const focused = (page: Page) => page.evaluate("document.activeElement.id");

describe("the agent's inbox", () => {
  it("says what to do until somebody has written", async () => {
    const gateway = await gatewayWith();
    const page = await inboxAt(gateway.origin);
    const invitation = page.getByRole("region", { name: "No customer has written yet" });
    await invitation.getByText("Write through the messenger that your module connects.").waitFor();
    await gateway.post("Ada", { text: "hello" });
    await chatOf(page, "Ada").waitFor();
    expect(await invitation.isHidden()).toBe(true);
    await page.reload();
    await chatOf(page, "Ada").waitFor();
    expect(await invitation.isHidden()).toBe(true);
  });

  it("offers many reactions in a small grid that scrolls", async () => {
    const dictionary = Array.from({ length: 73 }, (_, n) => String.fromCodePoint(0x1f600 + n));
    const gateway = await gatewayWith({ ...SETTINGS, reactions: { dictionary, max_count: 1 } });
    await gateway.post("Ada", { text: "hello" });
    const page = await inboxAt(gateway.origin);
    await chatOf(page, "Ada").click();
    await said(page, "hello").hover();
    await said(page, "hello").locator("[data-action=react]").click();
    const grid = page.getByRole("group", { name: "Reactions" });
    const box = await grid.boundingBox();
    expect(box?.width).toBeLessThan(400);
    expect(box?.height).toBeLessThan(300);
    await takePicture(page, "inbox-reactions");
    await grid.getByRole("button").last().click();
    await said(page, "hello").locator(".reaction[aria-pressed=true]").waitFor();
  });

  it("says to connect a module if there is none", async () => {
    const sandbox = await serveSandbox({ port: 0 });
    onTestFinished(sandbox.close);
    const page = await (await fetch(`${sandbox.origin}/inbox`)).text();
    expect(page).toMatch(/No module has opened a channel\. Connect one on the page <a href="\/">Account<\/a> first\./);
  });

  it("works with the keyboard alone, from the search to the reply and back", async () => {
    const gateway = await gatewayWith();
    for (const name of ["Ada", "Berta", "Clara"]) await gateway.post(name, { text: `${name} asks` });
    const page = await inboxAt(gateway.origin);
    await chatOf(page, "Ada").waitFor();
    await page.keyboard.press("/");
    expect(await focused(page)).toBe("search");
    await page.keyboard.type("bert");
    await chatOf(page, "Ada").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await chatOf(page, "Ada").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Berta");
    await page.keyboard.press("Enter");
    await said(page, "Berta asks").waitFor();
    expect(await focused(page)).toBe("reply");
    await page.keyboard.type("One line");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("and another");
    await page.keyboard.press("Enter");
    await page.locator("[data-from=user][data-status=received]", { hasText: "and another" }).waitFor();
    expect(gateway.hooks.find((hook) => hook.type === "message_sent")?.data.content).toBe("One line\nand another");
    await page.keyboard.press("Alt+M");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("and another");
    await page.keyboard.press("e");
    await page.locator("#edit-field").fill("Better\nwords");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await said(page, "Better").waitFor();
    // The edit's event can precede the answer that closes the modal.
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("reply");
    await page.keyboard.press("Alt+I");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Block the customer");
    await page.keyboard.press("Escape");
    await page.locator("#details").waitFor({ state: "hidden" });
    expect(await focused(page)).toBe("details-open");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator("#about", { hasText: "Dialog closed" }).waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    await page.locator("#name", { hasText: "Clara" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.dataset.chat")).toBe(
      await chatOf(page, "Clara").getAttribute("data-chat"),
    );
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await takePicture(page, "inbox-keys");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it("renders few rows for a thousand chats, and leaves unchanged ones alone", async () => {
    const gateway = await gatewayWith();
    for (let n = 1; n <= 1000; n++) await gateway.post(`Customer ${n}`, { text: `Question ${n}` });
    const page = await inboxAt(gateway.origin);
    await page.getByText("1,000 chats").waitFor();
    const rows = page.locator("[data-chat]");
    expect(await rows.count()).toBeLessThan(40);
    expect(await rows.first().getAttribute("aria-setsize")).toBe("1000");
    expect(await page.locator("[role=option][tabindex='0']").count()).toBe(1);

    await scroll(page, "#chats", "end");
    await page.locator("[aria-posinset='1000']", { hasText: "Question 1" }).waitFor();
    expect(await rows.count()).toBeLessThan(40);
    await scroll(page, "#chats", "start");
    await page.locator("[aria-posinset='1']").click();
    for (let n = 0; n < 20; n++) await page.keyboard.press("Alt+ArrowDown");
    await page.locator("[aria-posinset='21'][aria-selected=true]").waitFor();
    await page.keyboard.type("typed while the list is long");
    expect(await page.inputValue("#reply")).toBe("typed while the list is long");
    expect(await rows.count()).toBeLessThan(40);

    const mark = `for (const row of document.querySelectorAll("[data-chat]")) row.marked = true`;
    await page.evaluate(mark);
    await gateway.post(`Customer 975`, { text: "Me again" });
    await page.locator("[aria-posinset='22'][aria-selected=true]").waitFor();
    const unmarked = `[...document.querySelectorAll("[data-chat]")].filter((row) => !row.marked).length`;
    expect(await page.evaluate(unmarked)).toBeLessThan(3);
    await scroll(page, "#chats", "start");
    await page.locator("[aria-posinset='1']", { hasText: "Me again" }).waitFor();
    await page.fill("#search", "customer 77");
    await page.getByText("19 of 1,000 chats").waitFor();
    await takePicture(page, "inbox-thousand");
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it.each(LONG ? [0, 1000, 1012] : [1012])(
    "heals when its socket is closed (%i), and has what was said meanwhile",
    async (code) => {
      const gateway = await gatewayWith();
      await gateway.post("Ada", { text: "Before" });
      const gone = await gateway.post("Ada", { text: "Taken back" });
      const page = await inboxAt(gateway.origin);
      await chatOf(page, "Ada").click();
      await said(page, "Taken back").waitFor();
      await gateway.control("/faults", { operation: "bot:webSocketConnection", times: 1_000, status: 503 });
      await gateway.control("/sockets/close", { code });
      await page.locator("#connection[data-state=waiting]").waitFor();
      await gateway.post("Ada", { text: "Meanwhile" });
      await gateway.post("Berta", { text: "I am new" });
      const ref = { channel: gateway.channelId, message: { id: gone.message_id } };
      await gateway.transport("DELETE", "/messages", ref);
      await page.locator("#reply").fill("Answered without a socket");
      await page.locator("#reply").press("Enter");
      await said(page, "Answered without a socket").waitFor();
      await fetch(`${gateway.origin}/sandbox/faults`, { method: "DELETE" });
      await page.locator("#connection[data-state=open]").waitFor();
      await said(page, "Meanwhile").waitFor();
      await chatOf(page, "I am new").waitFor();
      await said(page, "This message was deleted").waitFor();
      await gateway.post("Ada", { text: "And after" });
      await said(page, "And after").waitFor();
      expect(gateway.sandbox.calls.entries(true)).toEqual([]);
    },
  );

  it("shows formatting where the notation is set and the channel announces it, and never as HTML", async () => {
    const settings = { ...SETTINGS, text: { ...SETTINGS.text, markup_formats: ["bold", "link"] } };
    const gateway = await gatewayWith(settings);
    const rope = "https://shop.example/rope";
    const text = `**bold *both*** ~~5~~ __u__ \`a*b\` [**rope**](${rope}) 2\\*3 *open ${rope}_1\n\`\`\`\nif\n\`\`\`\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>`;
    const shown = async () => {
      const page = await inboxAt(gateway.origin);
      await chatOf(page, "Ada").click();
      return said(page, "open").locator(".text").innerHTML();
    };
    await gateway.post("Ada", { text });
    expect(await shown()).not.toMatch(/<(b|i|s|u|code|pre|img)>/);
    await fetch(`${gateway.origin}/sandbox/settings`, { method: "PUT", body: JSON.stringify({ markup: "markdown" }) });
    const link = (label: string) => expect.stringMatching(new RegExp(`<a href="${rope}[^>]*>${label}</a>`));
    const html = await shown();
    expect(html).toContain("<b>bold <i>both</i></b> <s>5</s> <u>u</u> <code>a*b</code>");
    expect(html).toEqual(link("<b>rope</b>"));
    expect(html).toContain("2*3 *open <a ");
    expect(html).toEqual(link(`${rope}_1`));
    expect(html).toMatch(/<pre>if<\/pre>\n\[x\]\(javascript:alert\(1\)\) &lt;img src=x onerror=alert\(1\)&gt;$/);
  });

  it("shows hostile text as text, wherever it stands", async () => {
    const gateway = await gatewayWith();
    const evil = `<img src=x onerror="window.taken=1"><script>window.taken=1</script>`;
    await gateway.post(`Mallory ${evil}`, { text: `Look ${evil} javascript:window.taken=1` });
    const product = { id: 1, name: evil, url: "javascript:window.taken=1", img: "javascript:window.taken=1" };
    await gateway.post(`Mallory ${evil}`, { type: "product", product });
    const page = await inboxAt(gateway.origin);
    await chatOf(page, "Mallory").click();
    await said(page, `Look ${evil}`).waitFor();
    await said(page, evil).last().locator("[data-action=quote]").click();
    await page.locator("#reply").fill(`Answer ${evil}`);
    await page.locator("#suggestions").fill(`${evil}\nurl: javascript:window.taken=1 ${evil}`);
    await page.locator("#send").click();
    await page.locator("[data-from=user][data-status=received]", { hasText: `Answer ${evil}` }).waitFor();
    expect(await page.locator(".message img, .message script, .chat img").count()).toBe(0);
    expect(await page.locator("a[href^='javascript']").count()).toBe(0);
    expect(await page.evaluate("window.taken")).toBeUndefined();
    expect(await page.locator("#name").textContent()).toBe(`Mallory ${evil}`);
  });

  it("keeps a draft per chat, and restores what the gateway refused", async () => {
    const gateway = await gatewayWith();
    for (const name of ["Ada", "Berta"]) await gateway.post(name, { text: `${name} asks` });
    const page = await inboxAt(gateway.origin);
    await chatOf(page, "Ada").click();
    await page.locator("#reply").fill("Half an answer");
    await page
      .locator("#attach")
      .setInputFiles({ name: "offer.txt", mimeType: "text/plain", buffer: Buffer.from("offer") });
    await page.getByText("1 attached").waitFor();
    await chatOf(page, "Berta").click();
    await chatOf(page, "Draft: Half an answer").waitFor();
    expect(await page.inputValue("#reply")).toBe("");
    await page.reload();
    await chatOf(page, "Draft: Half an answer").click();
    expect(await page.inputValue("#reply")).toBe("Half an answer");
    await page.getByText("1 attached").waitFor();
    await gateway.control("/faults", { operation: "bot:sendMessage", times: 1, status: 500 });
    await page.locator("#send").click();
    await page.getByRole("alert").getByText("Planned fault").waitFor();
    expect(await page.inputValue("#reply")).toBe("Half an answer");
    await page.getByText("1 attached").waitFor();
    await page.locator("#send").click();
    await page
      .locator("[data-from=user][data-status=received]", { hasText: "Half an answer" })
      .getByText("offer.txt")
      .waitFor();
    expect(await page.inputValue("#reply")).toBe("");
    await page.locator("#reply").fill("x".repeat(501));
    await page.locator("#reply").press("Enter");
    await page.getByRole("alert").getByText("this channel takes 500").waitFor();
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it("offers what the channel and the message allow, and nothing else", async () => {
    const gateway = await gatewayWith({ text: { creating: "both", deleting: "receive" } });
    await gateway.post("Ada", { text: "Only texts here" });
    const page = await inboxAt(gateway.origin);
    await chatOf(page, "Ada").click();
    await said(page, "Only texts here").waitFor();
    await page.locator("#reply").fill("Fine");
    await page.locator("#send").click();
    const answer = page.locator("[data-from=user][data-status=received]", { hasText: "Fine" });
    await answer.locator("[data-action=delete]").waitFor({ state: "attached" });
    expect(await page.locator("[data-action=quote], [data-action=react], [data-action=edit]").count()).toBe(0);
    for (const part of ["#suggestions", "#attach", "#goods"]) expect(await page.locator(part).isVisible()).toBe(false);
    await page.locator("#note").click();
    await page.locator("#reply").fill("A word to the colleagues");
    await page.locator("#send").click();
    const note = page.locator("[data-scope=private]", { hasText: "A word to the colleagues" });
    await note.locator("[data-action=edit]").waitFor({ state: "attached" });
    expect(gateway.hooks.filter((hook) => hook.type === "message_sent")).toHaveLength(1);
  });
});

describe("a conversation in the inbox", () => {
  it("loads older messages on scrolling back, and keeps the reading position", async () => {
    const gateway = await gatewayWith();
    for (let n = 1; n <= 120; n++) await gateway.post("Ada", { text: `Line ${n}.` });
    const page = await inboxAt(gateway.origin);
    await chatOf(page, "Ada").click();
    await said(page, "Line 120.").waitFor();
    expect(await page.locator(".message").count()).toBeLessThan(60);
    await scroll(page, "#messages", "start");
    await said(page, "Line 40.").waitFor();
    await scroll(page, "#messages", "start");
    await page.getByText("The conversation begins here.").waitFor({ state: "attached" });
    expect(await page.locator("[data-from=customer]").count()).toBe(120);
    await scroll(page, "#messages", "start");
    await gateway.post("Ada", { text: "The newest" });
    await page.locator("#newer").waitFor();
    expect(await page.evaluate(`document.querySelector("#messages").scrollTop`)).toBe(0);
    await page.locator("#newer").click();
    await page.locator("#newer").waitFor({ state: "hidden" });
    await said(page, "The newest").waitFor();
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it("follows others' changes", async () => {
    const gateway = await gatewayWith();
    const { transport, channelId, sandbox } = gateway;
    const first = { channel: channelId, message: { id: (await gateway.post("Ada", { text: "Frist" })).message_id } };
    const page = await inboxAt(gateway.origin);
    await chatOf(page, "Ada").click();
    await said(page, "Frist").waitFor();
    await transport("PUT", "/messages", { ...first, message: { ...first.message, text: "First" } });
    await said(page, "First").getByText("edited").waitFor();
    await transport("DELETE", "/messages", first);
    await said(page, "This message was deleted").waitFor();
    await transport("POST", "/messages/restore", { channel_id: channelId, message: first.message });
    await said(page, "First").waitFor();
    await gateway.control("/faults", { operation: "onMessageSent", times: 1, status: 500 });
    await page.locator("#reply").fill("Will this arrive?");
    await page.locator("#send").click();
    const answer = page.locator("[data-from=user]", { hasText: "Will this arrive?" });
    await page.locator("[data-status=received]", { hasText: "Will this arrive?" }).waitFor();
    const failed = { code: "spam_suspicion", message: "Too many" };
    const id = Number(await answer.getAttribute("data-message"));
    const external = sandbox.world.messages.find((message) => message.id === id)?.externalId;
    await transport("POST", "/messages/ack", { channel: channelId, external_message_id: external, error: failed });
    await answer.getByText("the messenger suspected spam (Too many)").waitFor();
    await transport("PUT", `/channels/${channelId}`, {
      name: "Shop line",
      type: "whatsapp",
      settings: { text: { creating: "send" } },
    });
    await page.locator("#suggestions").waitFor({ state: "hidden" });
    await page.locator("#reply").fill("No texts any more");
    await page.locator("#reply").press("Enter");
    await page.getByRole("alert").getByText("This channel takes no texts.").waitFor();
    const chat = [...sandbox.world.chats.keys()];
    const token = [...sandbox.world.users.values()][0]?.token ?? "";
    await fetch(`${gateway.origin}/sandbox/agent/chats`, {
      method: "DELETE",
      headers: { "x-bot-token": token, "content-type": "application/json" },
      body: JSON.stringify({ ids: chat }),
    });
    await page.getByText("Choose a chat").waitFor();
    expect(await page.locator("[data-chat]").count()).toBe(0);
    expect(sandbox.calls.entries(true)).toEqual([]);
  });

  it("can be assigned to another agent and to a bot, and an agent can be chosen", async () => {
    const gateway = await gatewayWith();
    await gateway.register("helper", { mgBot: {} });
    await gateway.post("Ada", { text: "Anybody there?" });
    const page = await inboxAt(gateway.origin);
    await gateway.control("/agents", { first_name: "Berta", last_name: "Benz" });
    await chatOf(page, "Ada").click();
    await page.keyboard.press("Alt+I");
    for (const [choice, words] of [
      ["Berta Benz", "assigned the dialog to Berta Benz"],
      ["helper (bot)", "assigned the dialog to helper"],
    ] as const) {
      await page.locator("#assignee").selectOption(choice);
      await page.getByRole("button", { name: "Assign", exact: true }).click();
      await page.getByText(words).waitFor();
    }
    await Promise.all([page.waitForEvent("load"), page.locator("#agent").selectOption("Berta Benz")]);
    await chatOf(page, "Ada").click();
    await page.locator("#reply").fill("It is me now");
    await page.locator("#send").click();
    await page.locator("[data-status=received]", { hasText: "It is me now" }).getByText("You").waitFor();
    const sent = gateway.hooks.find((hook) => hook.type === "message_sent");
    expect(sent?.data.user).toMatchObject({ first_name: "Berta" });
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });
});

describe("an agent at work", () => {
  it("can do in the inbox all that the gateway allows an agent", async () => {
    const gateway = await gatewayWith();
    await liveliness(gateway);
    const page = await inboxAt(gateway.origin, { viewport: { width: 1440, height: 900 } });
    await chatOf(page, "Greta Halloran").click();
    await said(page, "Could you quote a price").waitFor();
    await reactions(page, gateway);
    await cards(page, gateway);
    await dialogActs(page);
    await takePicture(page, "inbox-desktop");
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await takePicture(page, "inbox-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await blocking(page);
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it("has the same on a page 360 pixels wide, one part at a time", async () => {
    const gateway = await gatewayWith();
    await liveliness(gateway);
    const page = await inboxAt(gateway.origin, { viewport: { width: 360, height: 740 }, hasTouch: true });
    await chatOf(page, "Greta Halloran").waitFor();
    const fits = () => page.evaluate("document.documentElement.scrollWidth <= innerWidth");
    expect(await page.locator("#composer").isVisible()).toBe(false);
    await takePicture(page, "inbox-narrow-list");
    await chatOf(page, "Greta Halloran").click();
    await said(page, "Could you quote a price").waitFor();
    expect(await page.locator("#chats").isVisible()).toBe(false);
    await page.locator("#reply").fill("On a phone");
    await page.locator("#send").click();
    await page.locator("[data-from=user][data-status=received]", { hasText: "On a phone" }).waitFor();
    await takePicture(page, "inbox-narrow");
    expect(await fits()).toBe(true);
    await page.locator("#details-open").click();
    await page.getByText("Responsible").waitFor();
    await takePicture(page, "inbox-narrow-details");
    await page.getByRole("button", { name: "Close the details" }).click();
    await page.locator("#back").click();
    await chatOf(page, "On a phone").waitFor();
    expect(await fits()).toBe(true);
  });
});

/** A few chats of a typical shop. */
async function liveliness(gateway: Gateway): Promise<void> {
  const { post, transport, channelId } = gateway;
  for (const [name, text] of [
    ["Lucio", "Is the 12 mm rope in stock again?"],
    ["Marta Hale", "Thank you, it has arrived!"],
    ["Amira Linden", "My order 5002A: when will it be here?"],
    ["Greta Halloran", "Good morning! I am looking for a deck bag 🧳"],
  ] as const)
    await post(name, { text });
  const file = async (name: string, type: string, bytes: Buffer) => {
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(bytes)], { type }), name);
    const token = gateway.sandbox.world.modules.get("m")?.token ?? "";
    const headers = { "x-transport-token": token };
    const answer = await fetch(`${gateway.origin}/api/transport/v1/files/upload`, {
      method: "POST",
      headers,
      body: form,
    });
    return { id: ((await answer.json()) as { id: string }).id };
  };
  await post("Greta Halloran", {
    type: "image",
    note: "Like this one",
    items: [await file("deck bag.svg", "image/svg+xml", PICTURE)],
  });
  await post("Greta Halloran", { type: "audio", items: [await file("voice.wav", "audio/wav", silence())] });
  await post("Greta Halloran", {
    type: "file",
    items: [await file("measures.pdf", "application/pdf", Buffer.alloc(48_000))],
  });
  await post("Greta Halloran", { text: "Could you quote a price for ten? See https://example.com/bags?size=l" });
  await transport("POST", `/channels/${channelId}/templates`, {
    code: "ready",
    name: "Order is ready",
    type: "text",
    lang: "en",
    category: "utility",
    body: "Dear {{1}}, your order {{2}} is ready.",
    footer: "Harbour shop",
    buttons: { items: [{ type: "url", label: "Track it", url: "https://example.com/{{1}}" }] },
    verification_status: "approved",
  });
}

async function reactions(page: Page, gateway: Gateway): Promise<void> {
  const asked = said(page, "Could you quote a price");
  await asked.hover();
  await asked.locator("[data-action=react]").click();
  await page.getByRole("button", { name: "React with 🔥" }).click();
  await asked.locator(".reaction[aria-pressed=true]", { hasText: "🔥" }).waitFor();
  await asked.locator(".reaction").click();
  await asked.locator(".reaction").waitFor({ state: "detached" });
  await asked.locator("[data-action=quote]").click();
  await page.locator("#reply").fill("Ten bags are 850 €. Shall I put them aside?");
  await page.locator("#suggestions").fill("Yes, please\nNo, thank you\nphone: Call me");
  await page.locator("#send").click();
  const answer = page.locator("[data-from=user][data-status=received]", { hasText: "Ten bags" });
  await answer.locator(".quoted", { hasText: "Could you quote a price" }).waitFor();
  const hook = gateway.hooks.find(({ type }) => type === "message_sent");
  const about = {
    channel: gateway.channelId,
    message: { external_id: `out-${gateway.hooks.indexOf(hook as never) + 1}` },
  };
  await gateway.transport("POST", "/messages/reaction", { ...about, reaction: "❤️" });
  await answer.locator(".reaction", { hasText: "❤️" }).waitFor();
  await gateway.transport("POST", "/messages/read", { channel_id: about.channel, message: about.message });
  await page.locator("[data-status=seen]", { hasText: "Ten bags" }).waitFor();
}

async function cards(page: Page, gateway: Gateway): Promise<void> {
  await page.locator("#goods").click();
  const goods = page.getByRole("dialog", { name: "Send a product or an order" });
  await goods.getByRole("button", { name: /^Deck bag/ }).waitFor();
  await takePicture(page, "inbox-goods");
  await goods.getByRole("button", { name: /^Deck bag/ }).click();
  await page.locator("[data-from=user] .card", { hasText: "Deck bag" }).waitFor();
  await page.locator("#goods").click();
  await goods.getByRole("button", { name: "5002A" }).click();
  await page.locator("[data-from=user] .order", { hasText: "5002A" }).waitFor();
  await page.locator("#templates").click();
  const templates = page.getByRole("dialog", { name: "Send a template" });
  await templates.getByRole("button", { name: "Order is ready" }).click();
  await templates.getByLabel("Text {{1}}").fill("Greta");
  await templates.getByLabel("Text {{2}}").fill("5002A");
  await templates.getByLabel("Button “Track it” {{1}}").fill("5002A");
  await takePicture(page, "inbox-template");
  await templates.getByRole("button", { name: "Send template" }).click();
  await page.locator("[data-status=received]", { hasText: "Dear Greta, your order 5002A is ready." }).waitFor();
  const sent = gateway.hooks.map(({ data }) => data.template);
  expect(sent).toContainEqual(expect.objectContaining({ code: "ready" }));
  await page.locator("#note").click();
  await page.locator("#reply").fill("She asked last year, too: give her 5 %.");
  await page.locator("#send").click();
  await page.locator("[data-scope=private]", { hasText: "give her 5 %" }).waitFor();
  await page.locator("#note").click();
  await gateway.post("Greta Halloran", { text: "Yes, please" });
  await said(page, "Yes, please").last().waitFor();
}

async function dialogActs(page: Page): Promise<void> {
  await page.locator("#acts").getByRole("button", { name: "Assign to me" }).click();
  await page.getByText("Alex Agent took the dialog").waitFor();
  await page.keyboard.press("Alt+I");
  const details = page.locator("#details");
  await details.getByRole("textbox", { name: "Tag" }).fill("wholesale");
  await details.getByLabel("Colour").selectOption("green");
  await details.getByRole("button", { name: "Add" }).click();
  await details.locator(".tag", { hasText: "wholesale" }).waitFor();
  await details.getByRole("textbox", { name: "Tag" }).fill("urgent");
  await details.getByLabel("Colour").selectOption("red");
  await details.getByRole("button", { name: "Add" }).click();
  await details.locator(".tag", { hasText: "urgent" }).waitFor();
  await details.getByText("Alex Agent (you)").waitFor();
  await scroll(page, "#messages", "end");
}

async function blocking(page: Page): Promise<void> {
  const details = page.locator("#details");
  const line = (words: string): Locator => page.locator("[data-from=system]", { hasText: words });
  await details.getByRole("button", { name: "Remove the tag urgent" }).click();
  await details.locator(".tag", { hasText: "urgent" }).waitFor({ state: "detached" });
  await details.getByRole("button", { name: "Unassign" }).click();
  await line("took the dialog from").waitFor();
  await details.getByRole("button", { name: "Leave the chat" }).click();
  await line("left").waitFor();
  await details.getByRole("button", { name: "Block the customer" }).click();
  await page.locator("#hindrance", { hasText: "The customer is blocked" }).waitFor();
  expect(await page.locator("#send").isDisabled()).toBe(true);
  await chatOf(page, "Blocked").waitFor();
  await details.getByRole("button", { name: "Unblock the customer" }).click();
  await page.locator("#hindrance").waitFor({ state: "hidden" });
  await details.getByRole("button", { name: "Close the dialog" }).click();
  await line("closed the dialog").waitFor();
  await details.getByRole("button", { name: "Open a dialog" }).click();
  await line("Dialog opened by Alex Agent").waitFor();
}

/** A sample picture. */
const PICTURE = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200"><rect width="320" height="200" fill="#c9dbe6"/>
  <path d="M0 150h320v50H0z" fill="#8fa6a0"/><path d="M95 80h130l12 90H83z" fill="#9a7b4f"/>
  <path d="M125 80c0-50 70-50 70 0" fill="none" stroke="#5b4526" stroke-width="9"/></svg>`,
);

/** A second of silence, WAV. */
function silence(): Buffer {
  const bytes = Buffer.alloc(44 + 8000, 128);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + 8000, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(8000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(8000, 40);
  return bytes;
}
