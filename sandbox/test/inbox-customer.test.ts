import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../test/support/axe.ts";
import { takePicture } from "../../test/support/browser.ts";
import { chatOf, gatewayWith, inboxAt } from "./inbox.ts";

/** Two chats of one person, unknown to the CRM as such. */
async function twoChats() {
  const gateway = await gatewayWith();
  await gateway.post("Greta Halloran", { text: "I am looking for a deck bag" });
  await gateway.post("Greta on the phone", { text: "It is me again" });
  const { world } = gateway.sandbox;
  const told = (history: string) => world.histories.get(history) ?? [];
  return { ...gateway, world, told };
}

const press = (page: Page, name: string | RegExp) => page.locator("#crm").getByRole("button", { name }).click();
const inBox = (page: Page) => page.getByRole("dialog");
const records = (page: Page, name: string) =>
  page.locator("#crm").getByRole("list", { name, exact: true }).locator("> li");

describe("the customer of a chat", () => {
  it("is shown, edited, noted, given tasks and an order whose card is sent, and merged, all in the agent's name", async () => {
    const gateway = await twoChats();
    const page = await inboxAt(gateway.origin, { viewport: { width: 1600, height: 1000 } });
    await chatOf(page, "Greta Halloran").click();
    await page.locator("#crm-customer", { hasText: "Greta Halloran" }).waitFor();
    await edit(page);
    await noteAndTasks(page, gateway);
    await order(page);
    expect(gateway.hooks.at(-1)).toMatchObject({ type: "message_sent", data: { type: "order" } });
    await takePicture(page, "inbox-customer");
    await merge(page);
    const byUsers = gateway.told("customers").filter(({ created, by }) => !created && by.source === "user");
    expect(byUsers.map(({ field }) => field)).toContain("email");
    expect(gateway.told("orders").at(-1)).toMatchObject({ field: "status", by: { source: "user", user: 1 } });
    expect(gateway.told("tasks").map(({ by }) => by.source)).toEqual(["user", "user", "user", "user"]);
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it("who is on the shop's site is shown with the pages, as the chat's module tells", async () => {
    const gateway = await twoChats();
    const { webhookUrl, actions, world } = gateway;
    const asked: Record<string, string>[] = [];
    const time = (ago: number) => new Date(Date.now() - ago).toISOString().slice(0, 19).replace("T", " ");
    world.settings.timeZone = "UTC";
    let ago = 5_000;
    actions.online = (form) => {
      asked.push(form);
      return { lastOnline: time(ago) };
    };
    const pages = [
      { dateTime: time(60_000), title: "Rope, 12 mm", url: "https://shop.example/rope" },
      { dateTime: time(5_000), title: "Cart", url: "https://shop.example/cart" },
    ];
    actions.visits = () => ({
      utm: { source: "mail", medium: "letter", campaign: "" },
      device: { lang: "es", browser: "Firefox", os: "Linux" },
      ...{ country: "", city: "", countVisits: 3 },
      lastVisit: { createdAt: time(60_000), source: "https://search.example", pages, duration: 55 },
    });
    await gateway.register("m", { mgTransport: { webhookUrl, actions: { online: "/online", visits: "/visits" } } });
    const page = await inboxAt(gateway.origin, { viewport: { width: 1600, height: 1000 } });
    await chatOf(page, "Greta Halloran").click();
    await page.getByText("On the site now").waitFor();
    expect(await records(page, "Pages of the last visit").allTextContents()).toEqual([
      expect.stringContaining("Cart"),
      expect.stringContaining("Rope, 12 mm"),
    ]);
    expect(asked).toEqual([
      { clientId: "c1", online: JSON.stringify({ channel_id: gateway.channelId, external_user_id: "Greta Halloran" }) },
    ]);
    await takePicture(page, "inbox-visit");
    expect(await faultsOf(page)).toEqual([]);
    ago = 3_600_000;
    await chatOf(page, "Greta on the phone").click();
    await page.locator("#crm-online", { hasText: "Last seen" }).waitFor();
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it("says why the CRM refuses a change, and keeps what was typed", async () => {
    const gateway = await twoChats();
    const page = await inboxAt(gateway.origin, { viewport: { width: 1600, height: 1000 } });
    await chatOf(page, "Greta Halloran").click();
    await press(page, "New order");
    await inBox(page)
      .getByRole("button", { name: /^Deck bag/ })
      .click();
    for (const id of [...gateway.world.tables.customers.rows.keys()]) gateway.world.tables.customers.remove(id);
    await inBox(page).getByLabel("Comment for the shop").fill("Gift wrap");
    await inBox(page).getByRole("button", { name: "Create order" }).click();
    await inBox(page).getByRole("alert").getByText("not found").waitFor();
    expect(await inBox(page).getByLabel("Comment for the shop").inputValue()).toBe("Gift wrap");
  });

  it("may have become a corporate one: shown with its contact, noted, given tasks and orders, edited and merged as such", async () => {
    const gateway = await twoChats();
    const { world, control } = gateway;
    const { customers, corporate, orders, corporateNotes, tasks } = world.tables;
    const named = (name: string) => [...customers.rows.values()].find(({ firstName }) => firstName === name);
    const greta = named("Greta Halloran");
    customers.put({ ...greta, contragent: { contragentType: "legal-entity", legalName: "Halloran Sails" } });
    customers.put({ ...named("Greta on the phone"), contragent: { contragentType: "legal-entity" } });
    await control("/switches", { corporateOn: true });
    const person = { id: world.nextId(), firstName: "Pia", phones: [{ number: "+35679000000" }] };
    customers.put(person);
    const id = Number(greta?.id);
    const contact = { id: world.nextId(), isMain: true, customer: { id: person.id }, companies: [] };
    corporate.put({ ...corporate.rows.get(id), customerContacts: [contact] });
    const page = await inboxAt(gateway.origin, { viewport: { width: 1600, height: 1000 } });
    await chatOf(page, "Greta Halloran").click();
    await page.locator("#crm-customer", { hasText: "Halloran Sails" }).waitFor();
    await page.locator("#crm-customer", { hasText: "Pia, +35679000000" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await noteAndTasks(page, gateway);
    await order(page);
    await press(page, "Edit");
    await inBox(page).getByLabel("Name", { exact: true }).fill("Halloran and Sons");
    await inBox(page).getByRole("button", { name: "Save" }).click();
    await page.locator("#crm-customer", { hasText: "Halloran and Sons" }).waitFor();
    await press(page, "History");
    await inBox(page).getByText("type: customer → customer_corporate").waitFor();
    await inBox(page).getByText("nick_name: Halloran Sails → Halloran and Sons").waitFor();
    await page.keyboard.press("Escape");
    await merge(page, "Halloran and Sons");
    expect([...orders.rows.values()].at(-1)).toMatchObject({ customer: { type: "customer_corporate", id } });
    expect([...corporateNotes.rows.values()]).toMatchObject([{ customer: { id } }]);
    expect([...tasks.rows.values()].at(-1)).toMatchObject({ customer: { type: "customer_corporate", id } });
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it("follows what others change in the CRM, and a chat without one says so", async () => {
    const { world, origin, ...gateway } = await twoChats();
    const page = await inboxAt(origin, { viewport: { width: 1600, height: 1000 } });
    await chatOf(page, "Greta Halloran").click();
    await page.locator("#crm-customer", { hasText: "Greta Halloran" }).waitFor();
    await page.locator("#crm-note").fill("Half a note");
    const { customers } = world.tables;
    const greta = [...customers.rows.values()].find(({ firstName }) => firstName === "Greta Halloran");
    customers.put({ ...greta, firstName: "Margarethe" });
    const look = () => page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
    await look();
    await page.locator("#crm-customer", { hasText: "Margarethe" }).waitFor();
    expect(await page.locator("#crm-note").inputValue()).toBe("Half a note");
    customers.remove(Number(greta?.id));
    await look();
    await page.getByText("This chat’s customer is not in the CRM.").waitFor();
    expect(gateway.sandbox.calls.entries(true)).toEqual([]);
  });

  it("has one panel with the details, opens by Alt+C and closes by Escape", async () => {
    const gateway = await twoChats();
    const page = await inboxAt(gateway.origin);
    await chatOf(page, "Greta Halloran").click();
    await page.locator("#crm-open").waitFor();
    expect(await page.locator("#crm").isVisible()).toBe(false);
    await page.keyboard.press("Alt+C");
    await page.locator("#crm-customer", { hasText: "Greta Halloran" }).waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Close the customer");
    await page.keyboard.press("Alt+I");
    expect([await page.locator("#crm").isVisible(), await page.locator("#details").isVisible()]).toEqual([false, true]);
    await page.keyboard.press("Alt+C");
    await page.keyboard.press("Escape");
    await page.locator("#crm").waitFor({ state: "hidden" });
    expect(await page.evaluate("document.activeElement.id")).toBe("crm-open");
  });

  it.each([
    ["light", 1600],
    ["dark", 1000],
    ["light", 360],
  ] as const)("has no fault that axe finds, and fits: %s, %i px", async (colorScheme, width) => {
    const gateway = await twoChats();
    const page = await inboxAt(gateway.origin, {
      viewport: { width, height: 800 },
      colorScheme,
      reducedMotion: "reduce",
    });
    await chatOf(page, "Greta Halloran").click();
    if (width < 1440) await page.locator("#crm-open").click();
    await page.locator("#crm-customer", { hasText: "Greta Halloran" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    for (const name of ["Edit", "Merge …", "History", "New order"]) {
      await press(page, name);
      await inBox(page).waitFor();
      await page.waitForLoadState("networkidle");
      expect([name, await faultsOf(page)]).toEqual([name, []]);
      await takePicture(page, `inbox-customer-${name.split(" ")[0]}-${width}`);
      await page.keyboard.press("Escape");
    }
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  });

  it("is served with a policy that lets no foreign script run", async () => {
    const gateway = await gatewayWith();
    const policy = (await fetch(`${gateway.origin}/inbox`)).headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
  });
});

async function edit(page: Page): Promise<void> {
  await press(page, "Edit");
  await inBox(page).getByLabel("E-mail").fill("greta@example.com");
  await inBox(page).getByLabel("City").fill("Valletta");
  await inBox(page).getByLabel("Tags, one per line").fill("sailor");
  await inBox(page).getByRole("button", { name: "Save" }).click();
  await page.locator("#crm-customer", { hasText: "Valletta" }).waitFor();
  await page.locator("#crm-customer .chip", { hasText: "sailor" }).waitFor();
}

async function noteAndTasks(page: Page, { origin, world }: Awaited<ReturnType<typeof twoChats>>): Promise<void> {
  await page.getByLabel("Note", { exact: true }).fill("Pays late");
  await press(page, "Add note");
  await records(page, "Notes").filter({ hasText: "Alex Agent" }).waitFor();
  for (const task of ["Call back", "Send the catalogue"]) {
    await page.getByLabel("Task", { exact: true }).fill(task);
    await page.getByLabel("Due").fill("2020-01-02T09:30");
    await press(page, "Add task");
    await records(page, "Tasks").filter({ hasText: task }).getByText("Overdue since").waitFor();
  }
  await page.getByRole("checkbox", { name: "Call back" }).check();
  await page.locator("#crm-tasks [data-done]", { hasText: "Call back" }).waitFor();
  const [task] = world.tables.tasks.rows.keys();
  const [agent] = world.users.values();
  await fetch(`${origin}/sandbox/agent/tasks/${task}/comments`, {
    method: "POST",
    headers: { "x-bot-token": agent?.token ?? "", "content-type": "application/json" },
    body: JSON.stringify({ text: "No answer" }),
  });
  await page.locator("#crm-tasks .comments li", { hasText: "No answerAlex Agent" }).waitFor();
  await press(page, "Delete the task Send the catalogue");
  await records(page, "Tasks").filter({ hasText: "Send the catalogue" }).waitFor({ state: "detached" });
}

async function order(page: Page): Promise<void> {
  await press(page, "New order");
  await inBox(page).getByLabel("Search products").fill("rope");
  await inBox(page)
    .getByRole("button", { name: /^Deck bag/ })
    .waitFor({ state: "detached" });
  await inBox(page).getByRole("button", { name: /rope/ }).click();
  await inBox(page).getByLabel("Search products").fill("");
  await inBox(page)
    .getByRole("button", { name: /^Deck bag/ })
    .click();
  await inBox(page).getByLabel("Quantity of Three-strand rope").fill("12");
  await inBox(page).getByText("Total: €137.50").waitFor();
  await inBox(page).getByRole("button", { name: "Create order" }).click();
  await records(page, "Orders").filter({ hasText: "€137.50" }).waitFor();
  await press(page, /^Send the card of order/);
  await page.locator("[data-from=user][data-status=received] .order", { hasText: "€137.50" }).waitFor();
  await page
    .locator("#crm")
    .getByLabel(/^Status of Order/)
    .selectOption("assembling");
}

async function merge(page: Page, kept = "greta@example.com"): Promise<void> {
  await press(page, "Merge …");
  await inBox(page).getByLabel("Search customers").fill("on the phone");
  await inBox(page)
    .getByRole("button", { name: /^Greta on the phone/ })
    .click();
  await inBox(page).getByRole("button", { name: "Merge" }).click();
  await records(page, "Other chats").filter({ hasText: "Greta on the phone" }).waitFor();
  await press(page, /Greta on the phone/);
  await page.locator("#name", { hasText: "Greta on the phone" }).waitFor();
  await page.locator("#crm-customer", { hasText: kept }).waitFor();
  await records(page, "Notes").filter({ hasText: "Pays late" }).waitFor();
  await records(page, "Orders").filter({ hasText: "€137.50" }).waitFor();
  await press(page, "History");
  await inBox(page).getByText("was combined into this one").waitFor();
  await inBox(page).locator("[data-source=combine]").first().waitFor();
}
