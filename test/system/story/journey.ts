import { agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { startBrowser } from "../../support/browser.ts";
import { runningPair } from "../../support/demo.ts";
import type { Ending } from "../../support/store.ts";
import { until } from "../../support/until.ts";

/** One server, one CRM and one browser for all tests of a file: an account, its bot, and people who write to it. */
export async function openShop(ending: Ending) {
  const { server, sandbox } = await runningPair(undefined, undefined, ending);
  const browser = await startBrowser(ending);
  const problems: string[] = [];
  const connect = () => connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  await connect();
  const phones = phonesAt(`${sandbox.origin}/telegram`);
  const agent = agentAt(sandbox.origin);
  let bots = 0;
  /** A connected bot; its page's address. */
  const newBot = async (name: string) => {
    bots += 1;
    const bot = await phones.newBot(`shop_${bots}_bot`, name);
    const visit = await connect();
    const page = await visit.add("telegram", name, { token: bot.token, updates: "webhook", groups: "off" });
    return { bot, page: `${server.origin}${visit.home}/channels/${/ data-channel="([\w-]{22})"/.exec(page)?.[1]}` };
  };
  /** Somebody who has written to a bot, and their chat in the inbox. */
  const newCustomer = async (bot: { id: number }, firstName: string) => {
    const person = await phones.newPerson({ firstName, language: "en" });
    const known = new Set((await agent.chats()).map(({ id }) => id));
    const say = (text: string) => phones.say(person.id, bot.id, { text });
    await say(`Hello from ${firstName}`);
    const chat = await until(`the chat of ${firstName}`, async () =>
      (await agent.chats()).find(({ id }) => !known.has(id)),
    );
    const heard = async () => (await phones.messages(person.id, bot.id)).filter(({ from }) => from === "bot");
    const block = (blocked: boolean) =>
      phones.ask("POST", `/phone/api/${person.id}/chats/${bot.id}/block`, { blocked });
    return { ...{ chat: chat.id, say, heard, block }, inbox: () => agent.messages(chat.id) };
  };
  const newTab = async (): Promise<{ context: BrowserContext; crm: Page }> => {
    const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
    context.on("console", (line) => {
      if (/Content Security Policy|Refused to/.test(line.text())) problems.push(line.text());
    });
    return { context, crm: await context.newPage() };
  };
  /** The account's page in a browser of its own, by the module's card in the CRM. */
  const comeIn = async () => {
    const { context, crm } = await newTab();
    await crm.goto(sandbox.origin);
    const [page] = await Promise.all([
      context.waitForEvent("page"),
      crm.getByRole("button", { name: "Open the account page" }).click(),
    ]);
    await page.getByRole("heading", { name: "Channels" }).waitFor();
    return page;
  };
  const notifications = () => sandbox.sandbox.world.notifications.map(({ message }) => message);
  const isClean = () => expect(problems).toEqual([]);
  return { server, sandbox, phones, agent, newBot, newCustomer, newTab, comeIn, notifications, isClean };
}
export type Shop = Awaited<ReturnType<typeof openShop>>;
