import { becomes } from "gangway-sandbox/demo/waiting";
import { atMost, type Figure, none } from "./figure.ts";
import { chatOf, inbox, reply, type Station, say, wordsOf } from "./grid/station.ts";
import { openTestBed, type TestBed } from "./grid/test-bed.ts";
import type { Trial } from "./trial.ts";

/** Each given once: the gateway's own refusal and a proxy's page. */
const ANSWERS = ["sendMessage", "ackMessage"].flatMap((operation) =>
  [401, 403].flatMap((status) =>
    (["contract", "html"] as const).map((body) => ({ operation, status, body, times: 1 })),
  ),
);
const MESSAGES = 10;
/** A chat accepts one message a second. */
const AGENT_S = MESSAGES + 8;
const CUSTOMER_S = 5;
const GIVE_UP_MS = 40_000;

/** The gateway or a proxy rejects the token once; delays must stay short. */
export const oneRefusal: Trial = {
  name: "one 401 or 403",
  async run(context): Promise<Figure[]> {
    const testBed = await openTestBed(context);
    try {
      const delays = await Promise.all(
        ANSWERS.map((answer) => measureDelays(testBed, answer, GIVE_UP_MS * context.slack)),
      );
      for (const [n, { customer, agent, missing }] of delays.entries())
        context.print(`  ${JSON.stringify(ANSWERS[n])}: customer ${customer} s, agent ${agent} s, ${missing} missing`);
      context.injected("401 and 403", ANSWERS.length);
      const slowest = (side: "customer" | "agent") => Math.max(...delays.map((each) => each[side]));
      return [
        none(
          "P14",
          `undelivered of ${MESSAGES} agents' messages after one such answer`,
          delays.reduce((sum, { missing }) => sum + missing, 0),
        ),
        atMost(
          "P14",
          `time until all ${MESSAGES} are delivered and acked`,
          slowest("agent"),
          AGENT_S * context.slack,
          " s",
        ),
        atMost(
          "P14",
          "time until the customer's refused message reaches the gateway",
          slowest("customer"),
          CUSTOMER_S * context.slack,
          " s",
        ),
      ];
    } finally {
      await testBed.close();
    }
  },
};

async function measureDelays(testBed: TestBed, answer: (typeof ANSWERS)[number], giveUpMs: number) {
  const station = await testBed.open();
  station.crm.sandbox.faults.plan(answer);
  const began = Date.now();
  const since = () => Math.round((Date.now() - began) / 100) / 10;
  say(station, "from the customer");
  for (let n = 0; n < MESSAGES; n++) await reply(station, `agent ${n}`);
  const customer = becomes(() => arrived(station, "from the customer"), giveUpMs).then(since);
  const agent = becomes(() => undelivered(station) === 0, giveUpMs).then(since);
  return { customer: await customer, agent: await agent, missing: undelivered(station) };
}

const arrived = (station: Station, text: string) => inbox(station).some((message) => wordsOf(message) === text);

/** Counts messages missing from the chat or not acked. */
function undelivered(station: Station): number {
  const chat = chatOf(station).map(({ text }) => text);
  const { messages } = station.crm.sandbox.world;
  const isAcked = (text: string) => messages.some((m) => m.text === text && ["received", "seen"].includes(m.status));
  return station.outbound.filter((text) => !chat.includes(text) || !isAcked(text)).length;
}
