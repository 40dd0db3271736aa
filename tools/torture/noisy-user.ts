import { ask } from "gangway-sandbox/demo/ask";
import { addWebChat } from "gangway-sandbox/demo/set-up";
import { becomes, pause } from "gangway-sandbox/demo/waiting";
import { atLeast, atMost, type Figure, none } from "./figure.ts";
import { chatOf, inbox, reply, type Station, wordsOf } from "./grid/station.ts";
import { openTestBed } from "./grid/test-bed.ts";
import type { Trial, TrialContext } from "./trial.ts";

/** Concurrent senders at one address; each opens a new visitor, and so a new chat, after every second message. */
const SENDERS = 6;
const MESSAGES_PER_VISITOR = 2;
const FLOOD_MS = { short: 15_000, long: 180_000 };
/** Longest wait for everybody else of the account, s. */
const [BESIDE_STRANGER_S, BESIDE_FORWARDER_S] = [5, 2];
const FORWARDED = 1_300;
/** Telegram forwards up to 100 messages at once; a person sends batch after batch. */
const [BATCH, BATCH_MS] = [100, 1_000];
const GATEWAY_MS = 150;
const LOOK_EVERY_MS = 1_000;
/** More than twenty times the bound. */
const GIVE_UP_MS = 120_000;
/** The messenger delivers one update at a time, behind everything forwarded before. */
const DELIVERED_MS = 300_000;

/** One user floods an account up to every limit; its other users must not notice. */
export const noisyUser: Trial = {
  name: "one noisy user",
  async run(context): Promise<Figure[]> {
    const testBed = await openTestBed(context);
    try {
      const [stranger, forwarder] = [await testBed.open(), await testBed.open()];
      const figures = await Promise.all([besideStranger(stranger, context), besideForwarder(forwarder, context)]);
      return figures.flat();
    } finally {
      await testBed.close();
    }
  },
};

async function besideStranger(station: Station, { short, slack }: TrialContext): Promise<Figure[]> {
  const { channel } = await addWebChat(station.visit);
  const flood = flooding(`${station.server}/m/${channel}`);
  const end = Date.now() + FLOOD_MS[short ? "short" : "long"];
  const customers: number[] = [];
  const agents: number[] = [];
  for (let n = 0; Date.now() < end; n++) {
    const [customer, agent] = await Promise.all([customerWaits(station, station.person, n), agentWaits(station, n)]);
    customers.push(customer);
    agents.push(agent);
  }
  const { accepted, visitors } = await flood.stop();
  const refused =
    station.crm.sandbox.calls.answered("webhook", 429) + station.crm.sandbox.calls.answered("webhook", 503);
  return [
    atLeast("P10", `messages from a stranger at the web chat, as ${visitors} visitors`, accepted, 100 / slack),
    atMost("P10", "a customer's message beside the stranger, p99", p99(customers), BESIDE_STRANGER_S * slack, " s"),
    atMost("P10", "an agent's message beside the stranger, p99", p99(agents), BESIDE_STRANGER_S * slack, " s"),
    none("P10", "agents' messages refused beside the stranger", refused),
  ];
}

async function besideForwarder(station: Station, { slack }: TrialContext): Promise<Figure[]> {
  const { telegram, bot, person, phones, crm } = station;
  // A slow gateway lets the chat's backlog grow to its limit.
  crm.sandbox.faults.plan({ operation: "sendMessage", delayMs: GATEWAY_MS, times: 1_000_000 });
  const other = (await phones.newPerson({ firstName: "Quiet", language: "en" })).id;
  const waits: number[] = [];
  let said = 0;
  const forward = async () => {
    while (said < FORWARDED) {
      for (let n = 0; n < BATCH; n++, said++)
        telegram.phone.send(person, bot.id, { text: `forwarded ${said}`, forwardedFrom: "Somebody" });
      await pause(BATCH_MS);
    }
  };
  const forwarding = forward();
  for (let n = 0; said < FORWARDED || n < FORWARDED / BATCH + 5; n++)
    waits.push(await customerWaits(station, other, n));
  await forwarding;
  return [
    atMost(
      "P10",
      `another customer's message while one forwards ${FORWARDED} messages, p99`,
      p99(waits),
      BESIDE_FORWARDER_S * slack,
      " s",
    ),
  ];
}

/**
 * Time to the gateway, s; then pauses until the next look. The messenger's own queueing does not count,
 * unless the server has refused an update.
 */
async function customerWaits(station: Station, person: number, n: number): Promise<number> {
  const text = `quiet ${person} ${n}`;
  const letters = () => station.telegram.world.bots.get(station.bot.id)?.queue.entries ?? [];
  let began = Date.now();
  station.telegram.phone.send(person, station.bot.id, { text });
  const own = letters().at(-1);
  const delivered = await becomes(() => !own || !letters().includes(own), DELIVERED_MS);
  const refused = station.telegram.world.bots.get(station.bot.id)?.queue.error !== undefined;
  if (delivered && !refused) began = Date.now();
  return rested(began, await becomes(() => inbox(station).some((message) => wordsOf(message) === text), GIVE_UP_MS));
}

/** Time from the CRM to the chat, s. */
async function agentWaits(station: Station, n: number): Promise<number> {
  const began = Date.now();
  await reply(station, `agent ${n}`);
  return rested(began, await becomes(() => chatOf(station).some(({ text }) => text === `agent ${n}`), GIVE_UP_MS));
}

async function rested(began: number, came: boolean): Promise<number> {
  const waited = Date.now() - began;
  await pause(Math.max(0, LOOK_EVERY_MS - waited));
  return came ? waited / 1000 : Number.POSITIVE_INFINITY;
}

function p99(waits: number[]): number {
  const sorted = waits.sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}

function flooding(door: string) {
  const counts = { accepted: 0, visitors: 0 };
  let going = true;
  const post = (path: string, body: object, headers = {}) =>
    ask(`${door}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const sender = async () => {
    let token: string | undefined;
    for (let n = 0; going; n++) {
      if (token === undefined || n % (MESSAGES_PER_VISITOR + 1) === 0) {
        const opened = await post("open", {});
        token = opened.ok ? ((await opened.json()) as { visitor: string }).visitor : undefined;
        if (token) counts.visitors += 1;
        else await pause(100);
        continue;
      }
      const body = { id: crypto.randomUUID(), text: `flood ${counts.accepted}` };
      const answer = await post("messages", body, { authorization: `Bearer ${token}` });
      await answer.arrayBuffer();
      if (answer.ok) counts.accepted += 1;
      else token = undefined;
    }
  };
  const senders = Promise.all(Array.from({ length: SENDERS }, sender));
  return {
    stop: async () => {
      going = false;
      await senders;
      return counts;
    },
  };
}
