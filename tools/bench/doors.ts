import { serve } from "@hono/node-server";
import { systemClock } from "gangway-messenger/clock";
import telegram from "gangway-telegram";
import { Hono } from "hono";
import { Agent, request } from "undici";
import { gatewayDoor } from "#product/http/doors/doors";
import { type Env, readBody } from "#product/http/serving/request";
import { createLog } from "#product/log";
import { createAcceptOutbound } from "#product/relay/accept/outbound";
import { createStreams } from "#product/relay/sessions/feeds";
import { createJournals, createSessions } from "#product/relay/sessions/sessions";
import type { Outbox } from "#product/store/outbox";
import { open } from "./stage.ts";

// Servers to compare with. They authenticate and parse like the real one; MODE chooses what happens then.

const MODES: Record<string, (outbox: Outbox) => Outbox["acceptOutbound"]> = {
  nothing: () => async () => true,
  grouped: (outbox) => outbox.acceptOutbound,
  /** Each request waits for the previous one's commit. */
  single: (outbox) => {
    let last: Promise<unknown> = Promise.resolve();
    return (channel, acceptance) => {
      const mine = last.then(() => outbox.acceptOutbound(channel, acceptance));
      last = mine.catch(() => {});
      return mine;
    };
  },
};
const LIMIT = 1024 * 1024;
const { MODE = "", FOLDER = "", FAKES = "", PORT } = process.env;

async function door() {
  const store = await open(FOLDER);
  const log = createLog({ level: "error", write: (line) => process.stderr.write(line) });
  const acceptOutbound = MODES[MODE]?.(store.outbox);
  if (!acceptOutbound) throw new Error(`unknown MODE=${MODE}`);
  const never = () => {
    throw new Error("unexpected call");
  };
  const sessions = createSessions({
    ...{ adapters: [telegram], store, journals: createJournals(store), call: never, clock: systemClock },
    publicUrl: "http://127.0.0.1",
    streamsOf: createStreams(1),
    markup: "none",
    serverOptions: () => ({ updates: "webhook" }),
    gatewayOf: never,
  });
  const parts = {
    store: { ...store, outbox: { ...store.outbox, acceptOutbound } },
    sessions,
    log,
    explain: (text: string) => text,
  };
  return gatewayDoor({
    accountByWebhook: store.accounts.byWebhookSecret,
    acceptOutbound: createAcceptOutbound({
      ...parts,
      patienceMs: 120_000,
      vendor: "",
      keepRaw: true,
      wake: () => {},
    }),
    limit: LIMIT,
    guesses: { take: () => true },
    addressOf: () => "127.0.0.1",
    log,
  });
}

/** Forwards the text before answering; stores nothing. */
function proxy() {
  const dispatcher = new Agent({ connections: 64 });
  const url = `${FAKES}/telegram/bot1:proxy/sendMessage`;
  return async (c: Parameters<ReturnType<typeof gatewayDoor>>[0]): Promise<Response> => {
    const { data } = JSON.parse(await readBody(c, LIMIT));
    const body = JSON.stringify({ chat_id: data.external_chat_id, text: data.content });
    const headers = { "content-type": "application/json" };
    const answered = await request(url, { method: "POST", headers, body, dispatcher });
    await answered.body.json();
    return c.json({ async: true });
  };
}

const site = new Hono<Env>();
site.get("/health/ready", (c) => c.json({ status: "ready" }));
site.post("/gateway/:secret", MODE === "proxy" ? proxy() : await door());
serve({ fetch: site.fetch, hostname: "127.0.0.1", port: Number(PORT) });
