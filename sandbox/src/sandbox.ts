import { readFile } from "node:fs/promises";
import type { CreateEmulator, Emulator } from "gangway-messenger/kit/emulator";
import { createClock } from "gangway-messenger/kit/emulator/clock";
import { createFaults, type Faults, FILE_BYTES } from "gangway-messenger/kit/emulator/faults";
import { answerWithFault } from "gangway-messenger/kit/emulator/faulty-answer";
import { createEmulator as createTelegram, type TelegramEmulator } from "gangway-telegram/emulator/emulator";
import { PhonePage } from "gangway-telegram/emulator/phone/page";
import { phoneCss } from "gangway-telegram/emulator/phone/style";
import type { Telegram } from "gangway-telegram/emulator/telegram";
import { type Context, Hono } from "hono";
import { routePath } from "./addresses.ts";
import { archiveRoutes } from "./archive/routes.ts";
import { limitBody } from "./body-limit.ts";
import { agentApi } from "./bot/agent.ts";
import { botApi } from "./bot/api.ts";
import { createSockets } from "./bot/socket.ts";
import { createCallLog, type Exchange } from "./calls.ts";
import { type Controls, controlApi } from "./control.ts";
import { crmApi } from "./crm/api.ts";
import { createCallbacks } from "./crm/callbacks/callbacks.ts";
import { orderCard } from "./crm/orders/card.ts";
import { productCard, productPicture } from "./crm/store/cards.ts";
import { productAt } from "./crm/store/product.ts";
import type { Bench, Env } from "./exchange.ts";
import { createFaultControl } from "./fault-control.ts";
import { createCourier } from "./gateway/courier.ts";
import { createEvents } from "./gateway/events.ts";
import { serveFile } from "./gateway/files.ts";
import type { Gateway } from "./gateway/gateway.ts";
import { accepted, delivered, fail } from "./gateway/messages.ts";
import { contractJudge, type Judge } from "./judge.ts";
import { createWorld } from "./new-world.ts";
import { accountPages } from "./pages/account.tsx";
import { CardPage } from "./pages/card.tsx";
import { InboxPage } from "./pages/inbox.tsx";
import { inboxCss } from "./pages/inbox-style.ts";
import { Invitation } from "./pages/invitation.tsx";
import { PhonesPage } from "./pages/phones.tsx";
import { ShopPage } from "./pages/shop.tsx";
import { sandboxCss, shopCss } from "./pages/style.ts";
import { StylesPage } from "./pages/styles.tsx";
import { seedAccount } from "./seed/seed.ts";
import { transportApi } from "./transport/api.ts";
import { DEFAULT_UNKNOWNS, setUnknowns } from "./unknowns.ts";
import type { World } from "./world.ts";

export interface Sandbox {
  fetch: Hono<Env>["fetch"];
  world: World;
  /** The emulated messenger that is always there. */
  telegram: Telegram;
  /** All, by their kind. */
  emulators: Record<string, Emulator>;
  calls: Controls["bench"]["calls"];
  faults: Faults;
  observe(listener: (exchange: Exchange) => void): void;
  /** Fills a new account with the `small` or the `large` shop, or from an archive's file. */
  seed(seed: string): Promise<void>;
  /** Server settings of a module that should reach the other messengers here; known once listening. */
  env(): Record<string, string>;
  stop(): void;
}
export interface SandboxOptions {
  /** Own origin; a function, since a free port is known only after listening. */
  origin(): string;
  /** URL of the module's form, for the marketplace card. */
  moduleUrl?: string;
  /** URL of a shop page with a web chat, once there is one. */
  shop?(): string | undefined;
  now?: () => number;
  /** PEM, served at `/certificate.pem`. */
  certificate?: string;
  /** Initial unknowns, as for `PUT /sandbox/settings`. */
  settings?: unknown;
  /** Further messengers, by their kind; each is served under `/<kind>`. */
  emulators?: Record<string, CreateEmulator>;
  /** Default: this process's. */
  judge?: Judge;
}

/** A CRM account and its messaging gateway; judges every request and answer by the published contract. */
export function createSandbox(options: SandboxOptions): Sandbox {
  let unknowns = setUnknowns(DEFAULT_UNKNOWNS, options.settings ?? {});
  const clock = createClock(options.now ?? Date.now);
  const bench: Bench = {
    judge: options.judge ?? contractJudge(),
    calls: createCallLog(),
    faults: createFaults(clock.now),
    clock,
    unknowns: () => unknowns,
  };
  const world = createWorld(clock.now());
  const courier = createCourier({
    ...bench,
    world,
    fail: (message, code, text) => fail(gateway, message, code, text),
    delivered: (message) => delivered(gateway, message),
    accepted: (message) => accepted(gateway, message),
  });
  const gateway: Gateway = {
    world,
    clock,
    unknowns: bench.unknowns,
    origin: options.origin,
    events: createEvents(),
    courier,
    callbacks: createCallbacks({ ...bench, world }),
  };
  const sockets = createSockets(gateway, bench);
  const emulators = emulatorsOf(options, bench);
  const { telegram } = emulators.telegram as TelegramEmulator;
  const controls: Controls = {
    gateway,
    bench,
    sockets,
    faultControl: createFaultControl(bench, emulators),
    setUnknowns: (change) => {
      unknowns = setUnknowns(unknowns, change);
      return unknowns;
    },
  };
  const { calls, faults } = bench;
  return {
    fetch: siteOf(controls, emulators, telegram.door, options).fetch,
    world,
    telegram,
    emulators,
    calls,
    faults,
    observe: calls.observe,
    seed: (seed) => seedAccount(gateway, seed),
    env: () => Object.assign({}, ...Object.values(emulators).map((emulator) => emulator.env?.())),
    stop: () => {
      courier.stop();
      gateway.callbacks.stop();
      for (const emulator of Object.values(emulators)) emulator.stop();
      clock.stop();
      sockets.close(0);
    },
  };
}

function emulatorsOf({ origin, emulators = {} }: SandboxOptions, { clock, unknowns }: Bench): Record<string, Emulator> {
  const made = Object.entries({ telegram: createTelegram, ...emulators }).map(([kind, create]) => [
    kind,
    create({ origin: () => `${origin()}/${kind}`, clock, deliver: fetch, unknowns }),
  ]);
  return Object.fromEntries(made);
}

/** `door`: for clients that can only set a root, the Bot API at `/` as well. */
function siteOf(
  controls: Controls,
  emulators: Record<string, Emulator>,
  door: Telegram["door"],
  options: SandboxOptions,
): Hono<Env> {
  const { gateway, bench, sockets } = controls;
  const site = new Hono<Env>({ getPath: routePath(bench.judge) });
  site.onError((error, c) => {
    // A client that disconnects within its body is no bug.
    if ((error as { code?: unknown }).code !== "ECONNRESET") process.stderr.write(`sandbox: ${error.stack}\n`);
    return c.text("Internal error", 500);
  });
  // Before the limit: messengers have their own.
  for (const [kind, emulator] of Object.entries(emulators)) {
    site.use(`/${kind}/*`, sameOrigin);
    site.route(`/${kind}`, emulator.site);
  }
  site.route("/", door);
  site.use("/sandbox/*", sameOrigin);
  // Before the limit: an account may be large.
  site.route("/sandbox", archiveRoutes(gateway.world, sockets));
  // Cuts bodies without a Content-Length; the APIs check declared lengths themselves.
  site.use(async (c, next) => (c.req.header("content-length") ? next() : limitBody(c, next)));
  site.route("/", transportApi(gateway, bench));
  site.route("/", botApi(gateway, bench, sockets));
  site.use("/account/*", sameOrigin);
  site.route("/sandbox/agent", agentApi(gateway, bench));
  site.route("/sandbox", controlApi(controls));
  site.route("/", accountPages(controls, options.moduleUrl));
  otherPages(site, gateway, options.shop);
  site.get("/phones", (c) => c.html(PhonesPage({ emulators })));
  const { certificate } = options;
  if (certificate)
    site.get("/certificate.pem", (c) => c.body(certificate, 200, { "content-type": "application/x-pem-file" }));
  fileBytes(site, gateway, bench);
  const crm = crmApi(gateway, bench);
  site.all("/api/*", (c) => crm.fetch(c.req.raw, c.env));
  return site;
}

/** CSRF: refuses changes that another site's page sends. */
async function sameOrigin(c: Context<Env>, next: () => Promise<void>): Promise<Response | undefined> {
  const origin = c.req.header("origin");
  const host = c.req.header("host");
  if (c.req.method !== "GET" && origin && host && origin !== `http://${host}` && origin !== `https://${host}`)
    return c.json({ errors: ["Requests from other sites are refused"] }, 403);
  await next();
  return undefined;
}

const PHONE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'";

/** Pictures and recordings in messages are anywhere. */
const INBOX_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src http: https: data: blob:; media-src http: https: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'";

function phonePage(site: Hono<Env>): void {
  site.on("GET", ["/phone", "/telegram/phone"], (c) => {
    c.header("Content-Security-Policy", PHONE_POLICY);
    return c.html(PhonePage());
  });
  site.get("/phone.css", (c) => c.body(phoneCss, 200, { "content-type": "text/css" }));
  site.get("/phone.js", async (c) => {
    const script = await readFile(new URL("../dist/browser/phone.js", import.meta.url));
    return c.body(new Uint8Array(script), 200, { "content-type": "text/javascript" });
  });
}

function fileBytes(site: Hono<Env>, { world }: Gateway, { faults }: Bench): void {
  site.get("/files/:id/:name?", (c) => {
    const file = world.files.get(c.req.param("id"));
    return answerWithFault(faults.next(FILE_BYTES) ?? {}, {
      carryOut: () => (file ? serveFile(file) : c.text("Not found", 404)),
      cut: () => void c.env?.incoming?.socket.destroy(),
      gone: c.req.raw.signal,
      refusal: (_, words = "Planned fault") => JSON.stringify({ errors: [words] }),
    });
  });
}

function otherPages(site: Hono<Env>, gateway: Gateway, shop: SandboxOptions["shop"]): void {
  const { world, unknowns } = gateway;
  const css = `${sandboxCss}\n${inboxCss}`;
  site.get("/inbox", (c) => {
    c.header("Content-Security-Policy", INBOX_POLICY);
    return c.html(InboxPage({ invitation: Invitation({ world, shop: shop?.() }), markup: unknowns().markup }));
  });
  site.get("/favicon.ico", (c) => c.body(null, 204));
  const built = (name: string) => readFile(new URL(`../dist/browser/${name}`, import.meta.url));
  const style = { "content-type": "text/css" };
  site.get("/sandbox.css", async (c) => c.body(`${await built("tokens.css")}\n${css}`, 200, style));
  site.get("/ui.css", async (c) => c.body(`${await built("ui.css")}`, 200, style));
  site.get("/icons.svg", async (c) => c.body(`${await built("icons.svg")}`, 200, { "content-type": "image/svg+xml" }));
  site.get("/styles", (c) => c.html(StylesPage()));
  site.get("/shop.css", (c) => c.body(shopCss, 200, { "content-type": "text/css" }));
  site.get("/inbox.js", async (c) => {
    const script = await built("inbox.js");
    return c.body(new Uint8Array(script), 200, { "content-type": "text/javascript" });
  });
  phonePage(site);
  site.get("/shop/:name", (c) => {
    const [path = "", ending] = c.req.param("name").split(".");
    const product = productAt(world.tables.products, `/shop/${path}`);
    if (!product) return c.text("Not found", 404);
    if (ending === "svg") return c.body(productPicture(product), 200, { "content-type": "image/svg+xml" });
    return c.html(CardPage({ title: product.name, card: productCard(product, gateway) }));
  });
  site.get("/orders/:id", (c) => {
    const order = world.tables.orders.rows.get(Number(c.req.param("id")));
    if (!order) return c.text("Not found", 404);
    return c.html(CardPage({ title: `Order ${order.number}`, card: orderCard(gateway, order) }));
  });
  site.get("/shop", (c) => {
    // The short address, for people.
    const made = new URL(c.req.url).search === "" ? shop?.() : undefined;
    if (made) return c.redirect(made, 302);
    const module = c.req.query("module") ?? "";
    const channel = c.req.query("channel") ?? "";
    if (!URL.canParse(module) || !/^https?:$/.test(new URL(module).protocol) || !/^[\w-]+$/.test(channel))
      return c.text("Usage: ?module=<server URL>&channel=<channel key>", 400);
    const from = new URL(module).origin;
    const policy = `default-src 'none'; style-src 'self'; script-src ${from}; connect-src ${from}; img-src ${from}; media-src ${from}; base-uri 'none'`;
    c.header("Content-Security-Policy", policy);
    return c.html(ShopPage({ module: from, channel }));
  });
}
