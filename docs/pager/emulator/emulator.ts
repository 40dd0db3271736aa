import { randomUUID } from "node:crypto";
import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { plainPhone } from "gangway-messenger/kit/plain-phone";
import { type Context, Hono } from "hono";
import { z } from "zod";

interface Message {
  id: string;
  from: "customer" | "shop";
  text: string;
  deleted?: boolean;
}
export interface Pager extends Emulator {
  /** What the customer sees, oldest first. */
  messages: Message[];
  /** The customer writes; resolves when the module has answered the webhook. */
  says(text: string): Promise<unknown>;
  /** Refuses the next page so. */
  refuse(status: number, code: string): void;
}

const TOKEN = "pager-demo-token";
const CUSTOMER = { id: "robin", name: "Robin" };
/** Longest page, in characters. */
const TEXT_LENGTH = 240;
/** How long a page is known by its key, ms. */
const MEMORY_MS = 3_600_000;
/** Pause before a webhook that was not taken is sent again, ms. */
const AGAIN_MS = 1_000;

const subscription = z.object({ url: z.url(), secret: z.string() });
const page = z.object({ to: z.string(), text: z.string(), key: z.string() });

/** Pager, as an exchange with one customer. */
export function createEmulator({ origin, clock, deliver }: EmulatorOptions): Pager {
  const messages: Message[] = [];
  const keys = new Map<string, { id: string; at: number }>();
  const refusals: { status: number; code: string }[] = [];
  let webhook: z.infer<typeof subscription> | undefined;

  const bring = async (body: string): Promise<void> => {
    if (!webhook) return;
    const headers = { "content-type": "application/json", "x-pager-secret": webhook.secret };
    const answer = await deliver(new Request(webhook.url, { method: "POST", headers, body })).catch(() => undefined);
    if (!answer?.ok) clock.after(AGAIN_MS, () => void bring(body));
  };
  const says = (text: string) => {
    const id = randomUUID();
    messages.push({ id, from: "customer", text });
    return bring(JSON.stringify({ id, at: clock.now(), from: CUSTOMER, text }));
  };

  const site = new Hono();
  site.onError((_, c) => refused(c, 400, "bad_request"));
  site.route("/phone", plainPhone({ title: "Pager", messages: () => messages, says }));
  site.use("/v1/*", async (c, next) => {
    if (c.req.header("authorization") !== `Bearer ${TOKEN}`) return refused(c, 401, "bad_token");
    return next();
  });
  site.get("/v1/me", (c) => c.json({ result: { id: "quay", name: "Quay & Co." } }));
  site.get("/v1/webhook", (c) => c.json({ result: { url: webhook?.url ?? null } }));
  site.put("/v1/webhook", async (c) => {
    webhook = subscription.parse(await c.req.json());
    return c.json({ result: {} });
  });
  site.delete("/v1/webhook", (c) => {
    webhook = undefined;
    return c.json({ result: {} });
  });
  site.post("/v1/pages", async (c) => {
    const { to, text, key } = page.parse(await c.req.json());
    const refusal = refusals.shift();
    if (refusal) return refused(c, refusal.status, refusal.code);
    if (to !== CUSTOMER.id) return refused(c, 404, "no_such_pager");
    if (text.length > TEXT_LENGTH) return refused(c, 400, "too_long");
    const known = keys.get(key);
    if (known && clock.now() < known.at + MEMORY_MS) return c.json({ result: { id: known.id } });
    const id = randomUUID();
    keys.set(key, { id, at: clock.now() });
    messages.push({ id, from: "shop", text });
    return c.json({ result: { id } });
  });
  site.delete("/v1/pages/:id", (c) => {
    const found = messages.find(({ id }) => id === c.req.param("id"));
    if (!found) return refused(c, 404, "no_such_page");
    found.deleted = true;
    return c.json({ result: {} });
  });

  return {
    site,
    messages,
    says,
    refuse: (status, code) => void refusals.push({ status, code }),
    customer: {
      says,
      sees: () => messages.flatMap(({ from, text, deleted }) => (from === "shop" && !deleted ? text : [])),
    },
    channel: () => ({ name: "Pager", settings: { apiUrl: origin(), token: TOKEN } }),
    stop: () => {},
  };
}

function refused(c: Context, status: number, code: string): Response {
  c.status(status as 400);
  return c.json({ error: { code, message: `Refused: ${code}` } });
}
