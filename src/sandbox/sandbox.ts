import { readFile } from "node:fs/promises";
import { Hono } from "hono";
import { createCallLog } from "./calls.ts";
import { controlApi, setActivity } from "./control.ts";
import { createCourier } from "./courier.ts";
import { crmApi } from "./crm.ts";
import type { Env } from "./exchange.ts";
import { createFaults } from "./faults.ts";
import { serveFile } from "./files.ts";
import { inboxApi } from "./inbox.ts";
import { createJudge } from "./judge.ts";
import { CallsPage } from "./pages/calls.tsx";
import { HomePage } from "./pages/home.tsx";
import { InboxPage } from "./pages/inbox.tsx";
import { ShopPage } from "./pages/shop.tsx";
import { sandboxCss, shopCss } from "./pages/style.ts";
import { transportApi } from "./transport.ts";
import { createWorld, type World } from "./world.ts";

export interface Sandbox {
  fetch: Hono<Env>["fetch"];
  world: World;
  calls: ReturnType<typeof createCallLog>;
  stop(): void;
}
export interface SandboxOptions {
  /** Its own origin; asked for each time, since a free port is known only after listening. */
  origin(): string;
  /** Where the module's form is, for the marketplace card. */
  moduleUrl?: string;
  now?: () => number;
  /** How long a webhook may take, ms. */
  webhookTimeoutMs?: number;
}

/** A CRM account and its messaging gateway, which judge every request and answer by the published contract. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const now = options.now ?? Date.now;
  const base = {
    world: createWorld(),
    judge: createJudge(),
    calls: createCallLog(),
    faults: createFaults(),
    now,
    origin: options.origin,
  };
  const courier = createCourier({ ...base, timeoutMs: options.webhookTimeoutMs });
  const site = new Hono<Env>();
  site.route("/", transportApi(base));
  site.route("/inbox/api", inboxApi({ ...base, courier }));
  site.route("/sandbox", controlApi(base));
  pages(site, base, options);
  const crm = crmApi(base);
  site.all("/api/*", (c) => crm.fetch(c.req.raw, c.env));
  return { fetch: site.fetch, world: base.world, calls: base.calls, stop: courier.stop };
}

type Base = { world: World; calls: ReturnType<typeof createCallLog> };

function pages(site: Hono<Env>, { world, calls }: Base, { origin, moduleUrl }: SandboxOptions): void {
  site.get("/", (c) => c.html(HomePage({ world, origin: origin(), moduleUrl, said: c.req.query("said") })));
  site.get("/inbox", (c) => c.html(InboxPage()));
  site.get("/calls", (c) => {
    const faultsOnly = c.req.query("faults") === "1";
    return c.html(CallsPage({ entries: calls.entries(faultsOnly).slice(-500), totals: calls.totals(), faultsOnly }));
  });
  site.get("/calls.json", (c) => c.json({ ...calls.totals(), entries: calls.entries(c.req.query("faults") === "1") }));
  site.get("/sandbox.css", (c) => c.body(sandboxCss, 200, { "content-type": "text/css" }));
  site.get("/shop.css", (c) => c.body(shopCss, 200, { "content-type": "text/css" }));
  site.get("/inbox.js", async (c) => {
    const script = await readFile(new URL("./browser/inbox.js", import.meta.url));
    return c.body(new Uint8Array(script), 200, { "content-type": "text/javascript" });
  });
  site.get("/files/:id/:name?", (c) => {
    const file = world.files.get(c.req.param("id"));
    return file ? serveFile(file) : c.text("Not found", 404);
  });
  site.get("/shop", (c) => {
    const module = c.req.query("module") ?? "";
    const channel = c.req.query("channel") ?? "";
    if (!URL.canParse(module) || !/^https?:$/.test(new URL(module).protocol) || !/^[\w-]+$/.test(channel))
      return c.text("Say ?module=<address of the server>&channel=<the channel's key>", 400);
    const from = new URL(module).origin;
    const policy = `default-src 'none'; style-src 'self'; script-src ${from}; connect-src ${from}; img-src ${from}; media-src ${from}; base-uri 'none'`;
    c.header("Content-Security-Policy", policy);
    return c.html(ShopPage({ module: from, channel }));
  });
  site.post("/switch", async (c) => {
    const form = await c.req.formData();
    if (form.has("gatewayOn")) world.gatewayOn = form.get("gatewayOn") === "1";
    if (form.has("unpaid")) world.unpaid = form.get("unpaid") === "1";
    if (!world.gatewayOn) for (const module of world.modules.values()) module.active = false;
    return c.redirect("/", 303);
  });
  site.post("/module", async (c) => {
    const form = await c.req.formData();
    const activity = { active: form.get("active") === "1", freeze: form.get("freeze") === "1" };
    const { status, answer } = await setActivity(world, origin(), String(form.get("code")), activity);
    return c.redirect(`/?said=${encodeURIComponent(`The module answered ${status}: ${answer.slice(0, 200)}`)}`, 303);
  });
}
