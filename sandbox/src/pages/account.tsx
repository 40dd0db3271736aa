import { type Context, Hono } from "hono";
import { type Controls, rotateTokens } from "../control.ts";
import { setActivity } from "../crm/activity.ts";
import { connectByClick } from "../crm/marketplace.ts";
import { newToken } from "../crm/modules.ts";
import { setSwitches } from "../crm/switches.ts";
import type { Env } from "../exchange.ts";
import { shortened } from "../shortened.ts";
import { CallsPage } from "./calls.tsx";
import { FaultsPage } from "./faults.tsx";
import { HomePage } from "./home.tsx";
import { KeysPage } from "./keys.tsx";
import { UnknownsPage } from "./unknowns.tsx";

export function accountPages(controls: Controls, moduleUrl: string | undefined): Hono<Env> {
  const { gateway, bench } = controls;
  const { world, origin } = gateway;
  const site = new Hono<Env>();
  site.onError((error, c) => c.text(error.message, 400));
  site.get("/", (c) => {
    const opensIn = bench.unknowns().accountPage;
    return c.html(HomePage({ world, origin: origin(), moduleUrl, opensIn, said: c.req.query("said") }));
  });
  site.get("/admin/api-keys", (c) => c.html(KeysPage({ keys: world.keys, said: c.req.query("said") })));
  callPages(site, controls);
  moduleForms(site, controls);
  unknownsPages(site, controls);
  faultPages(site, controls);
  return site;
}

const back = (c: Context<Env>, page: string, said?: string) =>
  c.redirect(said ? `${page}?said=${encodeURIComponent(said)}` : page, 303);

function callPages(site: Hono<Env>, { bench: { calls } }: Controls): void {
  site.get("/calls", (c) => {
    const faultsOnly = c.req.query("faults") === "1";
    return c.html(CallsPage({ entries: calls.entries(faultsOnly).slice(-500), totals: calls.totals(), faultsOnly }));
  });
  site.get("/calls.json", (c) => c.json({ ...calls.totals(), entries: calls.entries(c.req.query("faults") === "1") }));
}

function moduleForms(site: Hono<Env>, { gateway, bench }: Controls): void {
  const { world } = gateway;
  site.post("/account/switch", async (c) => {
    const form = await c.req.formData();
    setSwitches(gateway, {
      ...(form.has("gatewayOn") && { gatewayOn: form.get("gatewayOn") === "1" }),
      ...(form.has("chatsOn") && { chatsOn: form.get("chatsOn") === "1" }),
      ...(form.has("corporateOn") && { corporateOn: true }),
      ...(form.has("unpaid") && { unpaid: form.get("unpaid") === "1" }),
    });
    return back(c, "/");
  });
  site.post("/account/module", async (c) => {
    const form = await c.req.formData();
    const activity = { active: form.get("active") === "1", freeze: form.get("freeze") === "1" };
    const { status, answer } = await setActivity(gateway, String(form.get("code")), activity);
    return back(c, "/", `The module answered ${status}: ${shortened(answer, 200)}`);
  });
  site.post("/account/connect", async (c) => {
    const form = await c.req.formData();
    const done = await connectByClick(gateway, bench, String(form.get("configUrl")), String(form.get("secret")));
    const opens = "Connected. The module's card below opens its account page, as the CRM does.";
    return back(c, "/", done.type === "connected" ? opens : done.why);
  });
  site.post("/account/keys", async (c) => {
    const form = await c.req.formData();
    const key = newToken();
    world.keys.set(key, {
      scopes: form.getAll("scope").map(String),
      credentials: form.getAll("credential").map(String),
    });
    return back(c, "/admin/api-keys", `The key ${key} was created`);
  });
  site.post("/account/keys/delete", async (c) => {
    world.keys.delete(String((await c.req.formData()).get("key")));
    return back(c, "/admin/api-keys", "The key was deleted");
  });
}

function unknownsPages(site: Hono<Env>, controls: Controls): void {
  const { bench } = controls;
  site.get("/unknowns", (c) => c.html(UnknownsPage({ unknowns: bench.unknowns(), said: c.req.query("said") })));
  site.post("/account/unknowns", async (c) => {
    const form = await c.req.formData();
    try {
      controls.setUnknowns(Object.fromEntries([...form].map(([name, value]) => [name, JSON.parse(String(value))])));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return c.html(UnknownsPage({ unknowns: bench.unknowns(), problem }), 400);
    }
    return back(c, "/unknowns", "Set");
  });
}

const NUMBERS = ["times", "forMs", "delayMs", "status", "retryAfter"];

/** Empty fields are left out. */
function planOf(form: FormData): Record<string, unknown> {
  const given = [...form].filter(([, value]) => value !== "");
  const read = (name: string, value: string) => (NUMBERS.includes(name) ? Number(value) : name === "hang" || value);
  return Object.fromEntries(given.map(([name, value]) => [name, read(name, String(value))]));
}

function faultPages(site: Hono<Env>, controls: Controls): void {
  const { bench, sockets, faultControl } = controls;
  const { clock } = bench;
  const shown = (problem?: string, said?: string) =>
    FaultsPage({
      plans: faultControl.list(),
      operations: faultControl.targets(),
      now: new Date(clock.now()).toISOString(),
      sockets: sockets.count(),
      problem,
      said,
    });
  site.get("/faults", (c) => c.html(shown(undefined, c.req.query("said"))));
  site.post("/account/faults", async (c) => {
    const form = await c.req.formData();
    try {
      faultControl.plan(planOf(form));
    } catch (error) {
      return c.html(shown(error instanceof Error ? error.message : String(error)), 400);
    }
    return back(c, "/faults", "Planned");
  });
  site.post("/account/faults/clear", (c) => {
    faultControl.clear();
    return back(c, "/faults", "Cleared");
  });
  site.post("/account/clock", async (c) => {
    const seconds = Number((await c.req.formData()).get("seconds"));
    if (!(seconds > 0)) return c.html(shown("Enter the seconds to jump"), 400);
    clock.jump(seconds * 1000);
    return back(c, "/faults", `The clock jumped by ${seconds} s`);
  });
  site.post("/account/sockets", async (c) => {
    sockets.close(Number((await c.req.formData()).get("code")) || 0);
    return back(c, "/faults", "Closed");
  });
  site.post("/account/tokens", (c) => {
    rotateTokens(controls);
    return back(c, "/faults", "Every module has a new token");
  });
}
