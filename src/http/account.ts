import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { ChannelId, JobId } from "../domain/ids.ts";
import type { ChannelForm, ChannelResult, ChannelVerbs } from "../module/channels.ts";
import type { Connect } from "../module/connect.ts";
import type { Visits } from "../module/visits.ts";
import { AccountPage } from "../pages/account.tsx";
import { ConnectPage } from "../pages/connect.tsx";
import { formFields, type Schema } from "../pages/fields.ts";
import { en } from "../pages/i18n/en.ts";
import { MessagePage } from "../pages/message.tsx";
import {
  BodyTooLarge,
  type Cookies,
  type Env,
  ownOrigin,
  pageHeaders,
  readBody,
  remoteAddress,
  sameSecret,
  sessionCookie,
  tries,
} from "./guard.ts";

export interface AccountParts {
  publicUrl: string;
  moduleName: string;
  formBytes: number;
  now(): number;
  connect: Connect;
  visits: Visits;
  channels: ChannelVerbs;
}

/** Tries a minute and address to connect, or to open an account page. */
const MOST_TRIES = 30;
const LONGEST_FIELD = 255;

/** The form and the account page. */
export function accountPages(parts: AccountParts): Hono<Env> {
  const site = new Hono<Env>();
  const cookies = sessionCookie(parts.publicUrl);
  const mayTry = tries(MOST_TRIES, parts.now);
  const t = en;
  const message = (c: Context<Env>, status: 400 | 401 | 403 | 404 | 413 | 429, title: string, text: string) =>
    c.html(MessagePage({ t, moduleName: parts.moduleName, title, text }), status);
  const slow = createMiddleware<Env>(async (c, next) => {
    if (c.req.method !== "POST" || mayTry(remoteAddress(c))) return next();
    c.header("Retry-After", "60");
    return message(c, 429, t.tooMany.title, t.tooMany.text);
  });

  site.use(pageHeaders);
  site.onError((error, c) => {
    if (!(error instanceof BodyTooLarge)) throw error;
    c.header("Connection", "close");
    return message(c, 413, t.tooLarge.title, t.tooLarge.text);
  });
  site.get("/", (c) => {
    const account = (c.req.query("account") ?? "").slice(0, LONGEST_FIELD).replace(/\/+$/, "");
    return c.html(ConnectPage({ t, moduleName: parts.moduleName, crmUrl: account }));
  });
  site.post("/", slow, async (c) => {
    if (!ownOrigin(c, parts.publicUrl)) return message(c, 403, t.foreign.title, t.foreign.text);
    const form = new URLSearchParams(await readBody(c, parts.formBytes));
    const crmUrl = (form.get("crmUrl") ?? "").slice(0, LONGEST_FIELD);
    const result = await parts.connect({ crmUrl, apiKey: form.get("apiKey") ?? "" });
    if (!result.ok) return c.html(ConnectPage({ t, moduleName: parts.moduleName, crmUrl, fault: result.fault }), 422);
    cookies.write(c, await parts.visits.enterAs(result.account.id));
    return c.redirect(`/account?done=${result.isNew ? "connected" : "reconnected"}`, 303);
  });
  // The CRM opens the page by a form of its own: cross-site, with no token of ours in it.
  site.post("/account", slow, async (c) => {
    const form = new URLSearchParams(await readBody(c, parts.formBytes));
    const token = await parts.visits.enter(form.get("clientId") ?? "");
    if (!token) return message(c, 401, t.noVisit.title, t.noVisit.text);
    cookies.write(c, token);
    return c.redirect("/account", 303);
  });
  site.route("/account", visitRoutes(parts, cookies));
  return site;
}

type Done = keyof typeof en.done;
const isDone = (code: string | undefined): code is Done => code !== undefined && Object.hasOwn(en.done, code);

function visitRoutes(parts: AccountParts, cookies: Cookies): Hono<Env> {
  const site = new Hono<Env>();
  const { visits, channels } = parts;
  const t = en;
  const refuse = (c: Context<Env>, status: 401 | 403 | 404, text: { title: string; text: string }) =>
    c.html(MessagePage({ t, moduleName: parts.moduleName, ...text }), status);

  const visiting = createMiddleware<Env>(async (c, next) => {
    const visit = await visits.byToken(cookies.read(c) ?? "");
    if (!visit) return refuse(c, 401, t.noVisit);
    c.set("visit", visit);
    return next();
  });
  /** Every change: a session, its form token, and a request that our own page made. */
  const changing = async (c: Context<Env>): Promise<URLSearchParams | undefined> => {
    const form = new URLSearchParams(await readBody(c, parts.formBytes));
    const proven = sameSecret(form.get("formToken") ?? "", c.get("visit").formToken);
    return proven && ownOrigin(c, parts.publicUrl) ? form : undefined;
  };
  const answer = async (c: Context<Env>, result: ChannelResult, done: Done, form: URLSearchParams, at: string) => {
    if (result.ok) return c.redirect(`/account?done=${done}`, 303);
    if (result.fault.code === "gone") return refuse(c, 404, t.notFound);
    return show(c, { fault: result.fault, typed: form, at }, 422);
  };
  const show = async (
    c: Context<Env>,
    problem?: Parameters<typeof AccountPage>[0]["problem"],
    status: 200 | 422 = 200,
  ) => {
    const { account, formToken } = c.get("visit");
    const done = c.req.query("done");
    const view = await visits.view(account);
    const props = { t, moduleName: parts.moduleName, view, formToken, problem, done: isDone(done) ? done : undefined };
    return c.html(AccountPage(props), status);
  };
  const settingsOf = async (
    c: Context<Env>,
    form: URLSearchParams,
    find: { kind?: string; id?: string },
  ): Promise<ChannelForm> => {
    const view = await visits.view(c.get("visit").account);
    const schema =
      view.kinds.find(({ kind }) => kind === find.kind)?.schema ??
      view.channels.find(({ channel }) => channel.id === find.id)?.schema;
    return { name: form.get("name") ?? "", settings: schema ? readFields(schema, form) : {} };
  };

  site.get("/", visiting, (c) => show(c));
  site.post("/leave", visiting, async (c) => {
    if (!(await changing(c))) return refuse(c, 403, t.foreign);
    await visits.leave(cookies.read(c) ?? "");
    cookies.clear(c);
    return c.redirect("/", 303);
  });
  site.post("/channels", visiting, async (c) => {
    const form = await changing(c);
    if (!form) return refuse(c, 403, t.foreign);
    const kind = form.get("kind") ?? "";
    const result = await channels.add(c.get("visit").account, kind, await settingsOf(c, form, { kind }));
    return answer(c, result, "added", form, kind);
  });
  site.post("/channels/:id", visiting, async (c) => {
    const form = await changing(c);
    if (!form) return refuse(c, 403, t.foreign);
    const id = c.req.param("id");
    const result = await channels.change(c.get("visit").account, id as ChannelId, await settingsOf(c, form, { id }));
    return answer(c, result, "changed", form, id);
  });
  for (const [act, done] of [
    ["remove", "removed"],
    ["resume", "resumed"],
  ] as const)
    site.post(`/channels/:id/${act}`, visiting, async (c) => {
      const form = await changing(c);
      if (!form) return refuse(c, 403, t.foreign);
      const id = c.req.param("id");
      return answer(c, await channels[act](c.get("visit").account, id as ChannelId), done, form, id);
    });
  site.post("/jobs/:id/again", visiting, async (c) => {
    if (!(await changing(c))) return refuse(c, 403, t.foreign);
    const id = c.req.param("id");
    const again = /^\d{1,15}$/.test(id) && (await visits.sendAgain(c.get("visit").account, Number(id) as JobId));
    return again ? c.redirect("/account?done=again", 303) : refuse(c, 404, t.notFound);
  });
  return site;
}

/** Form strings as the schema wants them. */
function readFields(schema: Schema, form: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    formFields(schema).map(({ name, control }) => {
      const value = form.get(`setting.${name}`) ?? "";
      if (control === "list")
        return [
          name,
          value
            .split(/[\n,]/)
            .map((line) => line.trim())
            .filter(Boolean),
        ];
      if (control === "checkbox") return [name, value === "on"];
      return [name, value.replaceAll("\r\n", "\n")];
    }),
  );
}
