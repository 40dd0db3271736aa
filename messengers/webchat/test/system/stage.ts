import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Content } from "gangway-messenger/message";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { faultsOf } from "../../../../test/support/axe.ts";
import { startBrowser } from "../../../../test/support/browser.ts";
import { afterTests } from "../../../../test/support/store.ts";
import { bundle } from "../../bundle.mjs";
import { openShop } from "../unit/shop.ts";

export type Shop = Awaited<ReturnType<typeof openShop>> & { name: string; erased: string[] };

export const DESKTOP = { width: 1360, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const SCREENS = [
  ["a desktop", DESKTOP],
  ["a phone", PHONE],
] as const;

interface PageShape {
  door: string;
  attributes?: Record<string, string>;
  lang?: string;
  /** HTML before the snippet. */
  before?: string;
  body?: string;
  nonce?: string;
  snippet?: boolean;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** The shop's page, whose style is as hostile as a shop's. */
function pageOf(
  scripts: string,
  { door, attributes = {}, lang = "en", before = "", body = "", nonce, snippet }: PageShape,
) {
  const all = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const own = nonce ? ` nonce="${nonce}"` : "";
  const line = `<script src="${scripts}/channels/webchat/widget.js" data-channel="${door}" async${own}${all.join("")}></script>`;
  return `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rope, 12 mm – Quay &amp; Co.</title>${before}</head><body><main><h1>Rope, 12 mm</h1><p>Three-strand, by the metre. <a id="next" href="/cart">Cart</a></p>${body}</main>${snippet === false ? "" : line}</body></html>`;
}

/** One server with the built scripts and any number of shops, and one browser, for the tests of a file. */
export async function openStage() {
  const ending = afterTests();
  const scripts: Record<string, Uint8Array> = await bundle(false);
  const shops = new Map<string, Shop>();
  const pages = new Map<string, { html: string; csp?: string }>();
  const asked: string[] = [];
  const door = async (request: Request, name: string, rest: string): Promise<Response> => {
    const cors = { "access-control-allow-origin": "*", "access-control-allow-methods": "GET, POST" };
    const headers = {
      ...cors,
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "",
    };
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
    const shop = shops.get(name);
    if (!shop)
      return Response.json({ error: { code: "unknown-door", message: "Not found" } }, { status: 404, headers: cors });
    const init = { method: request.method, headers: request.headers, body: request.body, signal: request.signal };
    const receipt = await shop.session.receive(
      new Request(`${shop.context.doorUrl}/${rest}`, { ...init, duplex: "half" } as RequestInit),
    );
    await shop.commit(receipt);
    if (receipt.erase) shop.erased.push(receipt.erase.customer);
    return receipt.reply;
  };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    asked.push(`${request.method} ${pathname}`);
    const [, kind = "", name = "", ...rest] = pathname.split("/");
    if (kind === "m") return door(request, name, rest.join("/") + search);
    const script = scripts[pathname.replace("/channels/webchat/", "")];
    if (script)
      return new Response(new Uint8Array(script), {
        headers: { "content-type": "text/javascript", "cross-origin-resource-policy": "cross-origin" },
      });
    const page = pages.get(pathname);
    if (!page) return new Response("Not found", { status: 404 });
    const csp = page.csp ? { "content-security-policy": page.csp } : undefined;
    return new Response(page.html, { headers: { "content-type": "text/html; charset=utf-8", ...csp } });
  };
  const server = createServer(getRequestListener(answer));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ending(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  // The shop is another site than the server.
  const [site, own] = [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
  const browser: Browser = await startBrowser(
    ending,
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
  );
  let count = 0;
  return {
    ...{ site, own, browser, asked },
    async shop(settings: Record<string, unknown> = {}) {
      const name = `door-${count++}`;
      const base = {
        title: "Quay & Co.",
        greeting: "Hello! Looking for rope, canvas or brass today?",
        askAfterMinutes: 0,
      };
      const shop: Shop = Object.assign(await openShop({ ...base, ...settings }), { name, erased: [] });
      shops.set(name, shop);
      return shop;
    },
    /** Puts a page of the shop at a path. */
    page(path: string, shape: PageShape, csp?: string) {
      pages.set(path.replace(/\?.*/, ""), { html: pageOf(own, shape), csp });
      return site + path;
    },
  };
}
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A visitor's browser, and what breaks in it. */
export async function visitorAt(stage: Stage, options: Parameters<Browser["newContext"]>[0] = {}) {
  const context: BrowserContext = await stage.browser.newContext({ viewport: DESKTOP, locale: "en-GB", ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (line) => {
    if (/Content Security Policy|Refused to|Trusted/.test(line.text())) problems.push(line.text());
  });
  const part = (name: string) => page.locator(`[data-part="${name}"]`);
  const stored = () => page.evaluate<number>("localStorage.length + sessionStorage.length + document.cookie.length");
  const open = async () => {
    await part("launcher").click();
    await part("panel").waitFor();
  };
  const say = async (text: string) => {
    await part("input").fill(text);
    await part("input").press("Enter");
    await page
      .locator("[data-from=visitor]", { hasText: text })
      .and(page.locator("[data-status=sent], [data-status=delivered], [data-status=read]"))
      .waitFor();
  };
  return { context, page, problems, part, stored, open, say };
}

/** The chat that the last customer's message came from. */
export function lastChat(shop: Pick<Shop, "events">): string {
  return [...shop.events.values()].at(-1)?.chat ?? "";
}

let key = 0;
export const MARINA = { name: "Marina", bot: false };
export async function answer(shop: Shop, content: Content | string, more: object = {}): Promise<void> {
  const said: Content = typeof content === "string" ? { type: "text", text: content } : content;
  await shop.send(said, `k${key++}`, { chat: lastChat(shop) as never, author: MARINA, ...more });
}

/** No fault of accessibility, in either scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await faultsOf(page)).toEqual([]);
  }
}
