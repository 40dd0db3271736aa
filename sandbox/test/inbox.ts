import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { startBrowser } from "../../test/support/browser.ts";
import { serveSandbox } from "../src/serve.ts";

const both = { creating: "both", editing: "both", deleting: "both", quoting: "both", reaction: "both" };
export const SETTINGS = {
  text: { ...both, max_chars_count: 500 },
  image: { ...both, max_items_count: 10 },
  file: { ...both, max_items_count: 10 },
  audio: both,
  product: both,
  order: both,
  reactions: { dictionary: ["👍", "❤️", "🔥"], max_count: 1 },
  suggestions: { text: "both", phone: "both", email: "both", url: "both" },
  status: { delivered: "both", read: "both" },
  template: { creation: true },
};
/** The gateway's limit: the next request in the same second is refused. */
const PER_SECOND = 30;

/** A sandbox with one channel, whose module accepts everything. */
export async function gatewayWith(settings: object = SETTINGS) {
  const actions: Record<string, (asked: Record<string, string>) => object> = {};
  const hooks: { type: string; data: Record<string, unknown> }[] = [];
  const module = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const action = request.url?.slice(1) ?? "";
    if (action !== "hook") {
      const asked = Object.fromEntries(new URLSearchParams(body));
      reply.writeHead(200, { "content-type": "application/json" });
      return reply.end(JSON.stringify(actions[action]?.(asked) ?? { success: false }));
    }
    const hook = JSON.parse(body);
    hooks.push(hook);
    const answer = hook.type === "message_sent" ? { external_message_id: `out-${hooks.length}` } : {};
    reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => module.listen(0, "127.0.0.1", resolve));
  const sandbox = await serveSandbox({ port: 0 });
  onTestFinished(async () => {
    module.closeAllConnections();
    module.close();
    await sandbox.close();
  });
  const { origin } = sandbox;
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const init = { method, headers: { "content-type": "application/json", ...headers } };
    const answer = await fetch(`${origin}${path}`, {
      ...init,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const json = (await answer.json()) as Record<string, unknown>;
    expect(answer.ok, JSON.stringify(json)).toBe(true);
    return json;
  };
  const baseUrl = `http://127.0.0.1:${(module.address() as AddressInfo).port}`;
  const webhookUrl = `${baseUrl}/hook`;
  const register = async (code: string, integrations: object) => {
    const module = { code, name: code, clientId: "c1", baseUrl, integrations };
    const answer = await fetch(`${origin}/api/v5/integration-modules/${code}/edit`, {
      method: "POST",
      headers: { "x-api-key": "sandbox-key" },
      body: new URLSearchParams({ integrationModule: JSON.stringify(module) }),
    });
    expect(answer.ok).toBe(true);
  };
  await register("m", { mgTransport: { webhookUrl } });
  let asked = 0;
  const transport = async (method: string, path: string, body?: unknown) => {
    if (++asked % PER_SECOND === 0) await ask("POST", "/sandbox/clock", { jumpMs: 1001 });
    const token = sandbox.sandbox.world.modules.get("m")?.token ?? "";
    return ask(method, `/api/transport/v1${path}`, body, { "x-transport-token": token });
  };
  const channel = await transport("POST", "/channels", { type: "whatsapp", name: "Shop line", settings });
  let posted = 0;
  /** Posts a message of this customer. */
  const post = (name: string, message: object, more: object = {}) =>
    transport("POST", "/messages", {
      channel: channel.id,
      external_chat_id: name.slice(0, 20),
      customer: { external_id: name.slice(0, 20), nickname: name },
      message: { type: "text", external_id: `in-${++posted}`, ...message },
      ...more,
    });
  const control = (path: string, body: unknown) => ask("POST", `/sandbox${path}`, body);
  return { ...sandbox, hooks, actions, webhookUrl, register, transport, post, control, channelId: Number(channel.id) };
}
export type Gateway = Awaited<ReturnType<typeof gatewayWith>>;

export async function inboxAt(
  origin: string,
  options: Parameters<Awaited<ReturnType<typeof startBrowser>>["newPage"]>[0] = {},
) {
  const browser = await startBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  onTestFinished(() => expect(errors).toEqual([]));
  await page.goto(`${origin}/inbox`);
  await page.locator("#connection[data-state=open]").waitFor();
  return page;
}

export const chatOf = (page: Page, name: string) => page.locator("[data-chat]", { hasText: name });
export const said = (page: Page, words: string) => page.locator(".message", { hasText: words });
