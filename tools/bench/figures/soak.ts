import { freePort, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { agentAt } from "gangway-sandbox/demo/agent";
import { ask } from "gangway-sandbox/demo/ask";
import { type Server, startServer } from "gangway-sandbox/demo/server";
import { addWebChat, connectThroughForm, type Visit } from "gangway-sandbox/demo/set-up";
import { enterShop } from "gangway-sandbox/demo/visitor";
import { pause, until } from "gangway-sandbox/demo/waiting";
import { freshFolder, SMALL_MACHINE } from "../stage.ts";
import { bounded, type Measure, once, type Scale } from "./figure.ts";

const MINUTES: Record<Scale, number> = { quick: 2, usual: 10, long: 60 };
const VISITORS = 10;
/** Per visitor and minute; the agent answers the last one. */
const TEXTS = 6;
const LOOKS = 15;
const MINUTE_MS = 60_000;

/**
 * A server that works and rests for an hour, as in daily use: messages and pages, then nothing for the rest of a
 * minute.
 */
export const soak: Measure = async (scale) => {
  const crm = await serveSandbox({ port: 0 });
  const metricsPort = await freePort(0);
  const env = {
    ...{ PATH: process.env.PATH ?? "", LOG_LEVEL: "error", NODE_OPTIONS: SMALL_MACHINE.join(" ") },
    ...{ METRICS_PORT: String(metricsPort) },
  };
  const server = await startServer({ port: await freePort(0), dataFolder: freshFolder(), env });
  const lines = { died: false };
  void server.ended().then(() => {
    lines.died = true;
  });
  const memory = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(/^gangway_memory_rss_bytes (\d+)/m.exec(text)?.[1]) / 1024 ** 2;
  };
  try {
    const day = await openDay(server, crm.origin);
    const each: number[] = [];
    for (let minute = 0; minute < MINUTES[scale]; minute++) {
      const ends = Date.now() + MINUTE_MS;
      await day.work(minute);
      await pause(Math.max(0, ends - Date.now()));
      if (lines.died) throw new Error(`the server died in minute ${minute}: ${server.lines.slice(-10).join("\n")}`);
      each.push(await memory());
    }
    const settled = Math.floor(each.length / 3);
    const growth = median(each.slice(-settled || -1)) - median(each.slice(settled, 2 * settled || 1));
    const what = `memory growth from the second third to the last of ${MINUTES[scale]} minutes of messages, pages and idling`;
    const detail = { node: process.versions.node, messages: day.said(), rssMiB: each.map(Math.round) };
    return [bounded({ name: "soak", what, figure: once(growth), unit: " MiB", atMost: 10, detail })];
  } finally {
    await server.kill("SIGTERM");
    await crm.close();
  }
};

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function openDay(server: Server, crm: string) {
  const visit = await connectThroughForm(server.origin, crm, SANDBOX_KEY);
  const { channel } = await addWebChat(visit);
  const door = `${server.origin}/m/${channel}`;
  const visitors = await Promise.all(Array.from({ length: VISITORS }, () => enterShop(door)));
  const agent = agentAt(crm);
  let said = 0;
  const arrived = async () => {
    const chats = await agent.chats();
    const all = await Promise.all(chats.map(({ id }) => agent.messages(id)));
    return all.flat().filter(({ from }) => from === "customer").length;
  };
  return {
    said: () => said,
    async work(minute: number): Promise<void> {
      for (let n = 0; n < TEXTS; n++) {
        await Promise.all(visitors.map((visitor) => visitor.say({ text: `minute ${minute}, text ${n}` })));
        said += VISITORS;
        await pause(1_000);
      }
      await until("every message at the CRM", async () => (await arrived()) === said);
      for (const { id } of await agent.chats()) await agent.say(id, { text: `answer ${minute}` });
      const answered = () =>
        visitors.every((visitor) => visitor.messages().some(({ text }) => text === `answer ${minute}`));
      await until("every answer in its chat", async () => answered());
      await lookAround(server, visit);
    },
  };
}

async function lookAround({ origin }: Server, { home, cookie }: Visit): Promise<void> {
  for (let n = 0; n < LOOKS; n++)
    for (const path of ["/", home, `${home}/undelivered`, `${home}/messages`, `${home}/add/telegram`])
      await (await ask(`${origin}${path}`, { headers: { cookie } })).text();
}
