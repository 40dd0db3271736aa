import type { Planned, WhatsApp } from "gangway-sandbox";
import { ask } from "gangway-sandbox/demo/ask";
import type { Visit } from "gangway-sandbox/demo/set-up";
import { type Hearsay, hearsay } from "./hearsay.ts";
import { outcomesOf, textOf } from "./outcomes.ts";
import type { CrowdOptions, Customer, OpenMessenger } from "./scene.ts";

/** Of a message that has been accepted: the reason why it fails all the same. */
export const FAILURE = 131_026;

/** Webhooks come in batches, late, twice and out of order; some are answered, and the answer is lost. */
const COURIER = {
  batchMs: 150,
  batchEntries: 40,
  duplicates: 0.1,
  disorder: 0.1,
  disorderMs: 3_000,
  skipDelivered: 0.2,
};
const BROKEN_WEBHOOKS: object[] = [
  { drop: "before", probability: 0.03 },
  { drop: "after", probability: 0.03 },
  { status: 500, when: "after", probability: 0.02 },
];

/** The message is taken, and its answer lost: cut off, a proxy's page, half of it, none; by share. */
const LOST: [object, number][] = [
  [{ drop: "after" }, 0.4],
  [{ status: 502, when: "after", body: "html" }, 0.3],
  [{ status: 200, when: "after", body: "half" }, 0.2],
  [{ status: 500, when: "after", body: "empty" }, 0.1],
];
/** Limits, in the messenger's own words and in HTTP's. */
const LIMITS: [object, number][] = [
  [{ code: 130_429 }, 0.4],
  [{ code: 131_056 }, 0.3],
  [{ status: 429, retryAfter: 1 }, 0.3],
];
/** Statuses overtake an answer that drips for seconds. */
const SLOW = { status: 200, when: "after", body: "drip", probability: 0.03 };

/** Failures after the 200, by share: at once, seconds and half a minute later. */
const FAILURES: [object, number][] = [
  [{}, 0.4],
  [{ delayMs: 3_000 }, 0.4],
  [{ delayMs: 12_000 }, 0.2],
];
const LATE_STATUS = { delayMs: 8_000, probability: 0.05 };

/** WhatsApp: one number an account. `failures`: share of messages that fail after their 200. */
export const numbersAt =
  (failures: number): OpenMessenger =>
  ({ crm, origin }, options) => {
    const whatsapp = crm.sandbox.emulators.whatsapp as WhatsApp;
    const { faults, journal } = whatsapp.network.core;
    const heard = hearsay(journal);
    const lost: Planned[] = [];
    let refused = 0;
    const limits: Planned[] = [];
    journal.observe(({ operation, answer }) => {
      const { error } = (answer ?? {}) as { error?: { code: number } };
      if (operation === "sendMessage" && [130_429, 131_056].includes(error?.code ?? 0)) refused += 1;
    });
    const plan = (operation: string, fault: object) => faults.plan({ operation, ...fault });
    const share = (kinds: [object, number][], of: number, operation: string, more = {}) =>
      kinds.map(([fault, part]) => plan(operation, { ...fault, ...more, probability: part * of }));
    return {
      env: crm.sandbox.env(),
      join: (visit, n) => joined(`${origin}/whatsapp/control`, { whatsapp, heard, options }, visit, n),
      async plan() {
        whatsapp.network.switches.set(COURIER);
        for (const fault of BROKEN_WEBHOOKS) plan("webhook", fault);
        lost.push(...share(LOST, options.lost, "sendMessage"));
        limits.push(...share(LIMITS, options.floods, "sendMessage"));
        plan("sendMessage", SLOW);
        share(FAILURES, failures, "outcome", { code: FAILURE });
        plan("outcome", LATE_STATUS);
      },
      async counts() {
        const planned = limits.slice(0, 2).reduce((sum, { hits }) => sum + hits(), 0);
        return { lostAnswers: lost.reduce((sum, { hits }) => sum + hits(), 0), floods: refused - planned };
      },
      outcomes: (accounts) => outcomesOf(accounts, { whatsapp, heard, failure: FAILURE }),
    };
  };

interface Network {
  whatsapp: WhatsApp;
  heard: Hearsay;
  options: CrowdOptions;
}

/** What the phones of WhatsApp's customers can do, at `control`; `by` carries the requests. */
export const phonesOf =
  (control: string, by: (url: string, init: RequestInit) => Promise<Response>) =>
  async <T>(path: string, body: object): Promise<T> => {
    const answer = await by(`${control}/${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the phone refused: ${await answer.text()}`);
    return (await answer.json()) as T;
  };

interface NewNumber {
  name: string;
  /** Tells apart this account's customers from others'. */
  n: number;
  customers: number;
  policy: string;
}

/** Adds a number to an account, and customers who may write to it. */
export async function addNumber(
  post: ReturnType<typeof phonesOf>,
  visit: Visit,
  { name, n, customers: count, policy }: NewNumber,
) {
  type Made = Record<"id" | "account" | "token" | "appSecret", string>;
  const { id, account, token, appSecret } = await post<Made>("numbers", { name });
  const settings = { via: "meta", phoneNumberId: id, wabaId: account, token, appSecret };
  await visit.add("whatsapp", name, settings, policy);
  const customers: { n: number; userId: string }[] = [];
  for (let c = 0; c < count; c++) {
    const phone = `34600${String(n).padStart(3, "0")}${String(c).padStart(3, "0")}`;
    // Every third one's number is hidden, and every other one reads at once.
    const person = { name: `Customer ${n}-${c}`, phone, isHidden: c % 3 === 2, readsAtOnce: c % 2 === 1 };
    customers.push(await post("customers", person));
  }
  return { id, customers, settings, secrets: [token, appSecret] };
}

async function joined(
  control: string,
  { whatsapp, heard, options }: Network,
  visit: Visit,
  n: number,
): Promise<Customer[]> {
  const post = phonesOf(control, ask);
  const { chats: count, policy } = options;
  const { id, customers } = await addNumber(post, visit, { name: `Soak ${n}`, n, customers: count, policy });
  return customers.map((made) => {
    const chat = () => whatsapp.network.world.chats.get(`${id}:${made.n}`)?.messages ?? [];
    return {
      chat: made.userId,
      say: (text) => post(`customers/${made.n}/messages?number=${id}`, { text }),
      shown: async () =>
        chat().flatMap((message) => (message.from === "business" ? [{ text: textOf(message), at: message.at }] : [])),
      precedes(one, other) {
        const said = chat().filter(({ from }) => from === "customer");
        const [first, second] = [one, other].map((text) => said.find((message) => textOf(message) === text));
        return first !== undefined && second !== undefined && heard.precedes(first, second);
      },
    };
  });
}
