import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Core } from "./core.ts";
import { OTHER_TARGETS, parseMetaFault } from "./faults.ts";
import { signedRequest } from "./signature.ts";

/** Throws an Error that names each bad field. */
export async function readBody<T>(c: Context, form: z.ZodType<T>): Promise<T> {
  const parsed = form.safeParse(await c.req.json().catch(() => undefined));
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  return parsed.data;
}

const changeOfToken = z.strictObject({
  ended: z.enum(["session", "app"]).nullish(),
  expiresAt: z.int().nullish(),
  rights: z.array(z.string()).optional(),
  nodes: z.array(z.string()).optional(),
});
const changeOfApp = z.strictObject({
  secret: z.string().min(8).optional(),
  webhook: z.strictObject({ url: z.string(), verifyToken: z.string() }).nullish(),
  redirects: z.array(z.string()).optional(),
  deauthorizeUrl: z.string().optional(),
  deletionUrl: z.string().optional(),
});

/** What Meta's console, its clock and chance do: for tests and pages. `operations`: what a fault can hit. */
export function coreControl(core: Core, operations: readonly string[], clear: () => void): Hono {
  const api = new Hono();
  api.onError((error, c) => c.json({ error: error.message }, 400));
  api.get("/calls", (c) => c.json({ total: core.journal.total(), entries: core.journal.entries() }));
  api.get("/settings", (c) => c.json(core.switches.values()));
  api.put("/settings", async (c) => c.json(core.switches.set(await c.req.json())));
  api.get("/faults", (c) => c.json({ plans: core.faults.list(), targets: [...OTHER_TARGETS, ...operations] }));
  api.post("/faults", async (c) => {
    core.faults.plan(parseMetaFault(await c.req.json(), operations));
    return c.json({});
  });
  api.delete("/faults", (c) => {
    core.faults.clear();
    return c.json({});
  });
  api.post("/clear", (c) => {
    clear();
    return c.json({});
  });
  tokenRoutes(api, core);
  appRoutes(api, core);
  return api;
}

function tokenRoutes(api: Hono, { tokens }: Core): void {
  const view = (value: string) => {
    const token = tokens.find(value);
    return token && { ...token, rights: [...token.rights], nodes: [...token.nodes] };
  };
  api.get("/tokens", (c) => c.json(tokens.list().map(({ value }) => view(value))));
  api.patch("/tokens/:value", async (c) => {
    const token = tokens.find(c.req.param("value"));
    if (!token) throw new Error("There is no such token");
    const { rights, nodes, ended, expiresAt } = await readBody(c, changeOfToken);
    if (rights) token.rights = new Set(rights);
    if (nodes) token.nodes = new Set(nodes);
    if (ended !== undefined) token.ended = ended ?? undefined;
    if (expiresAt !== undefined) token.expiresAt = expiresAt ?? undefined;
    return c.json(view(token.value));
  });
}

function appRoutes(api: Hono, core: Core): void {
  const appOf = (c: Context) => {
    const app = core.apps.find(c.req.param("id") ?? "");
    if (!app) throw new Error("There is no such app");
    return app;
  };
  api.get("/apps", (c) => c.json(core.apps.list().map((app) => ({ ...app, redirects: [...app.redirects] }))));
  api.patch("/apps/:id", async (c) => {
    const app = appOf(c);
    const { redirects, webhook, ...plain } = await readBody(c, changeOfApp);
    if (webhook) await core.confirm(webhook);
    if (webhook !== undefined) app.webhook = webhook ?? undefined;
    if (redirects) app.redirects = new Set(redirects);
    Object.assign(app, plain);
    return c.json({});
  });
  api.post("/apps/:id/deauthorize", async (c) => {
    const { user } = await readBody(c, z.strictObject({ user: z.string() }));
    return c.json(await signed(core, appOf(c).deauthorizeUrl, appOf(c).secret, user));
  });
  api.post("/apps/:id/erase", async (c) => {
    const { user } = await readBody(c, z.strictObject({ user: z.string() }));
    return c.json(await signed(core, appOf(c).deletionUrl, appOf(c).secret, user));
  });
}

/** Posts a signed request to one of the app's callbacks; returns its answer. */
async function signed(core: Core, url: string | undefined, secret: string, user: string): Promise<object> {
  if (!url) throw new Error("The app has no such callback");
  const issued_at = Math.floor(core.clock.now() / 1000);
  const body = new URLSearchParams({ signed_request: signedRequest(secret, { user_id: user, issued_at }) });
  const answer = await core.deliver(new Request(url, { method: "POST", body }));
  const text = await answer.text();
  return { status: answer.status, answer: text.slice(0, 4_096) };
}
