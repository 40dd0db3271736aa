import { becomes } from "../waiting.ts";
import { atMost, type Figure, none } from "./figure.ts";
import { type Field, openField } from "./grid/field.ts";
import { chatOf, heard, type Station, say, tell, wordsOf } from "./grid/station.ts";
import type { Trial } from "./trial.ts";

/** Each once: the gateway's own word, and a page of something before it. */
const ANSWERS = ["sendMessage", "ackMessage"].flatMap((operation) =>
  [401, 403].flatMap((status) =>
    (["contract", "html"] as const).map((body) => ({ operation, status, body, times: 1 })),
  ),
);
const MESSAGES = 10;
/** One chat takes a message a second. */
const AGENT_S = MESSAGES + 8;
const CUSTOMER_S = 5;
const HOPELESS_MS = 40_000;

/** The gateway answers once that it does not know the token, or a proxy does: next to nobody notices. */
export const oneRefusal: Trial = {
  name: "one 401 or 403",
  async run(bench): Promise<Figure[]> {
    const field = await openField(bench);
    try {
      const met = await Promise.all(ANSWERS.map((answer) => suffer(field, answer)));
      for (const [n, { customer, agent, missing }] of met.entries())
        bench.print(`  ${JSON.stringify(ANSWERS[n])}: customer ${customer} s, agent ${agent} s, ${missing} missing`);
      bench.injected("401 and 403", ANSWERS.length);
      const slowest = (whose: "customer" | "agent") => Math.max(...met.map((each) => each[whose]));
      return [
        none(
          "P14",
          `of ${MESSAGES} agents' messages after one such answer, not delivered`,
          met.reduce((sum, { missing }) => sum + missing, 0),
        ),
        atMost("P14", `until all ${MESSAGES} are delivered and acked`, slowest("agent"), AGENT_S, " s"),
        atMost(
          "P14",
          "until a customer's message that met it is at the gateway",
          slowest("customer"),
          CUSTOMER_S,
          " s",
        ),
      ];
    } finally {
      await field.close();
    }
  },
};

async function suffer(field: Field, answer: (typeof ANSWERS)[number]) {
  const station = await field.open();
  station.crm.sandbox.faults.plan(answer);
  const began = Date.now();
  const since = () => Math.round((Date.now() - began) / 100) / 10;
  say(station, "from the customer");
  for (let n = 0; n < MESSAGES; n++) await tell(station, `agent ${n}`);
  const customer = becomes(() => arrived(station, "from the customer"), HOPELESS_MS).then(since);
  const agent = becomes(() => undelivered(station) === 0, HOPELESS_MS).then(since);
  return { customer: await customer, agent: await agent, missing: undelivered(station) };
}

const arrived = (station: Station, text: string) => heard(station).some((message) => wordsOf(message) === text);

/** Not in the chat, or not told so. */
function undelivered(station: Station): number {
  const chat = chatOf(station).map(({ text }) => text);
  const { messages } = station.crm.sandbox.world;
  const isTold = (text: string) => messages.some((m) => m.text === text && ["received", "seen"].includes(m.status));
  return station.outbound.filter((text) => !chat.includes(text) || !isTold(text)).length;
}
