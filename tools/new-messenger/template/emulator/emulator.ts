import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { plainPhone } from "gangway-messenger/kit/plain-phone";
import { Hono } from "hono";

interface Message {
  id: string;
  from: "customer" | "shop";
  text: string;
  deleted?: boolean;
}
export interface Acme extends Emulator {
  /** What the customer sees, oldest first. */
  messages: Message[];
  /** The customer writes; resolves when the module has answered the webhook. */
  says(text: string): Promise<unknown>;
}

const TOKEN = "acme-demo-token";

/** Acme with one customer (write me: where the network's documentation is). */
export function createEmulator({ origin }: EmulatorOptions): Acme {
  const messages: Message[] = [];
  const says = async () => {
    throw new Error("write me: the message as a webhook, with the proof of the network");
  };
  const site = new Hono();
  site.route("/phone", plainPhone({ title: "Acme", messages: () => messages, says }));
  site.all("*", (c) => c.json({ error: { code: "unwritten", message: "write me: the calls of the network" } }, 501));
  return {
    site,
    messages,
    says,
    customer: {
      says,
      sees: () => messages.flatMap(({ from, text, deleted }) => (from === "shop" && !deleted ? text : [])),
    },
    channel: () => ({ name: "Acme", settings: { apiUrl: origin(), token: TOKEN } }),
    stop: () => {},
  };
}
