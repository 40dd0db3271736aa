import { freePort, type RunningSandbox, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { type Agent, agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { type Server, startServer } from "gangway-sandbox/demo/server";
import { addBot, addWebChat, connectThroughForm, type Visit } from "gangway-sandbox/demo/set-up";
import { enterShop } from "gangway-sandbox/demo/visitor";
import { createTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import type { TrialContext } from "./trial.ts";

/** One account with a bot's customer, a web chat's visitor and an agent at the CRM. */
export interface Shop {
  crm: RunningSandbox;
  server: Server;
  visit: Visit;
  agent: Agent;
  door: TcpProxy;
  customers: Record<Network, Person>;
  close(): Promise<void>;
}
export type Network = "bot" | "web chat";
export interface Person {
  say(text: string): Promise<unknown>;
  /** How often the chat shows this text from an agent. */
  sees(text: string): Promise<number>;
  /** The chat's id at the gateway, once it exists. */
  chat(): number | undefined;
  leave(): void;
}

/** `program` is the server's entry file; `env` extends the context's. */
export async function openShop(
  context: TrialContext,
  program: string,
  env: Record<string, string> = {},
): Promise<Shop> {
  const crm = await serveSandbox({ port: 0 });
  const port = await freePort(0);
  const door = await createTcpProxy();
  door.target(port);
  const server = await startServer({
    port,
    dataFolder: context.folder(),
    env: { ...context.env, TELEGRAM_API_URL: `${crm.origin}/telegram`, ...env },
    main: program,
    publicUrl: door.origin,
  });
  let customers: Shop["customers"] | undefined;
  const close = async () => {
    for (const person of Object.values(customers ?? {})) person.leave();
    await server.kill("SIGKILL");
    await crm.close();
    await door.close();
  };
  try {
    const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
    customers = { bot: await atBot(crm, visit), "web chat": await atWebChat(crm, server, visit) };
    return { crm, server, visit, agent: agentAt(crm.origin), door, customers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function atBot(crm: RunningSandbox, visit: Visit): Promise<Person> {
  const phones = phonesAt(`${crm.origin}/telegram`);
  const bot = await phones.newBot("shop_bot", "Shop");
  await addBot(visit, { name: "Bot", token: bot.token, updates: "webhook" });
  const person = await phones.newPerson({ firstName: "Ann", language: "en" });
  return {
    say: (text) => phones.say(person.id, bot.id, { text }),
    sees: async (wanted) =>
      (await phones.messages(person.id, bot.id)).filter(({ from, text }) => from === "bot" && text === wanted).length,
    chat: () => [...crm.sandbox.world.chats.values()].find(({ externalId }) => externalId === String(person.id))?.id,
    leave: () => undefined,
  };
}

async function atWebChat(crm: RunningSandbox, server: Server, visit: Visit): Promise<Person> {
  const { channel } = await addWebChat(visit);
  const visitor = await enterShop(`${server.origin}/m/${channel}`);
  let first: string | undefined;
  return {
    say: (text) => {
      first ??= text;
      return visitor.say({ text });
    },
    sees: async (wanted) => visitor.messages().filter(({ from, text }) => from === "agent" && text === wanted).length,
    chat: () => crm.sandbox.world.messages.find(({ text }) => first !== undefined && text === first)?.chatId,
    leave: visitor.leave,
  };
}

/** How often the gateway has a customer's text. */
export const atGateway = ({ crm }: Shop, text: string): number =>
  crm.sandbox.world.messages.filter((message) => message.text === text).length;

export const statusOf = ({ crm }: Shop, text: string): string | undefined =>
  crm.sandbox.world.messages.filter((message) => message.text === text).at(-1)?.status;
