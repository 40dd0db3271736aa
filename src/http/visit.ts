import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { Account } from "../domain/account.ts";
import type { ChannelId, JobId } from "../domain/ids.ts";
import { sameSecret } from "../domain/ids.ts";
import type { ChannelForm } from "../module/channel-form.ts";
import type { ChannelResult, ChannelVerbs } from "../module/channels.ts";
import type { Visits } from "../module/visits.ts";
import { AccountPage } from "../pages/account.tsx";
import { EntryPage } from "../pages/entry.tsx";
import { en } from "../pages/i18n/en.ts";
import { MessagePage } from "../pages/message.tsx";
import { readBody } from "./body.ts";
import type { Cookies } from "./cookies.ts";
import { isForm, ownOrigin } from "./cross-site.ts";
import type { Env } from "./env.ts";
import { previewPage } from "./preview.ts";
import { readFields } from "./setting-fields.ts";

export interface VisitParts {
  publicUrl: string;
  moduleName: string;
  formBytes: number;
  visits: Visits;
  channels: ChannelVerbs;
  cookies: Cookies;
}

type C = Context<Env>;
type Done = keyof typeof en.done;
type Problem = Parameters<typeof AccountPage>[0]["problem"];
const isDone = (code: string | undefined): code is Done => code !== undefined && Object.hasOwn(en.done, code);
const t = en;

/** `/account` and everything that is done on it, for one visit. */
export function visitRoutes(parts: VisitParts): Hono<Env> {
  const site = new Hono<Env>();
  const { visits, channels } = parts;
  const { visiting, changing } = admission(parts);
  const answer = (c: C, result: ChannelResult, done: Done, at: string) => {
    if (result.ok) return c.redirect(`/account?done=${done}`, 303);
    if (result.fault.code === "gone") return refuse(parts, c, 404, t.notFound);
    return show(parts, c, { fault: result.fault, typed: c.get("form"), at });
  };
  const channelId = (c: C) => c.req.param("id") as ChannelId;

  site.get("/", visiting, (c) => {
    const { visit, asked } = c.var;
    if (!asked) return show(parts, c);
    const [open, other] = [visit.account.crmUrl, asked.account.crmUrl];
    return c.html(EntryPage({ t, moduleName: parts.moduleName, formToken: visit.formToken, open, other }));
  });
  const preview = previewPage(parts);
  site.get("/channels/:id/preview", visiting, preview);
  site.post("/*", visiting, changing);
  site.post("/channels/:id/preview", preview);
  site.post("/leave", async (c) => {
    await end(parts, c, "session");
    await end(parts, c, "entry");
    return c.redirect("/", 303);
  });
  site.post("/stay", async (c) => {
    await end(parts, c, "entry");
    return c.redirect("/account", 303);
  });
  site.post("/enter", async (c) => {
    const { asked, form } = c.var;
    if (!asked) return refuse(parts, c, 403, t.foreign);
    // Since the page was made another one may have been asked for: then that one is shown first.
    if (asked.account.crmUrl === form.get("crmUrl")) await enter(parts, c);
    return c.redirect("/account", 303);
  });
  site.post("/channels", async (c) => {
    const kind = c.get("form").get("kind") ?? "";
    return answer(
      c,
      await channels.add(c.get("visit").account, kind, await readChannel(parts, c, { kind })),
      "added",
      kind,
    );
  });
  site.post("/channels/:id", async (c) => {
    const id = channelId(c);
    return answer(
      c,
      await channels.change(c.get("visit").account, id, await readChannel(parts, c, { id })),
      "changed",
      id,
    );
  });
  site.post("/channels/:id/remove", async (c) =>
    answer(c, await channels.remove(c.get("visit").account, channelId(c)), "removed", channelId(c)),
  );
  site.post("/channels/:id/resume", async (c) =>
    answer(c, await channels.resume(c.get("visit").account, channelId(c)), "resumed", channelId(c)),
  );
  const onJob = (verb: string, done: Done, act: (account: Account, job: JobId) => Promise<boolean>) =>
    site.post(`/jobs/:id/${verb}`, async (c) => {
      const id = c.req.param("id") ?? "";
      const found = /^\d{1,15}$/.test(id) && (await act(c.get("visit").account, Number(id) as JobId));
      return found ? c.redirect(`/account?done=${done}`, 303) : refuse(parts, c, 404, t.notFound);
    });
  onJob("again", "again", visits.sendAgain);
  onJob("arrived", "arrived", (account, job) => visits.decide(account, job, "arrived"));
  onJob("drop", "drop", (account, job) => visits.decide(account, job, "drop"));
  return site;
}

/** Ends the visit of a cookie, where there is one. */
export async function end(
  { visits, cookies }: Pick<VisitParts, "visits" | "cookies">,
  c: C,
  which: keyof Cookies,
): Promise<void> {
  const token = cookies[which].read(c);
  if (!token) return;
  await visits.leave(token);
  cookies[which].clear(c);
}

/** The visit that was asked for becomes the open one. */
async function enter(parts: VisitParts, c: C): Promise<void> {
  await end(parts, c, "session");
  parts.cookies.session.write(c, parts.cookies.entry.read(c) ?? "");
  parts.cookies.entry.clear(c);
}

/** Who may look, and which forms may change: a session, its form token, and a request that our own page made. */
function admission(parts: VisitParts) {
  const visiting = createMiddleware<Env>(async (c, next) => {
    const visitOf = (which: keyof Cookies) => parts.visits.byToken(parts.cookies[which].read(c) ?? "");
    const [open, asked] = [await visitOf("session"), await visitOf("entry")];
    const visit = open ?? asked;
    if (!visit) return refuse(parts, c, 401, t.noVisit);
    c.set("visit", visit);
    if (!open) await enter(parts, c);
    else if (asked?.account.id === open.account.id) await end(parts, c, "entry");
    // Another account's page may be anybody's trap: a person decides.
    else c.set("asked", asked);
    return next();
  });
  const changing = createMiddleware<Env>(async (c, next) => {
    const form = new URLSearchParams(await readBody(c, parts.formBytes));
    const proven = sameSecret(form.get("formToken") ?? "", c.get("visit").formToken);
    if (!proven || !ownOrigin(c, parts.publicUrl)) return refuse(parts, c, 403, t.foreign);
    if (!isForm(c)) return refuse(parts, c, 415, t.foreign);
    c.set("form", form);
    return next();
  });
  return { visiting, changing };
}

const refuse = (
  { moduleName }: VisitParts,
  c: C,
  status: 401 | 403 | 404 | 415,
  text: { title: string; text: string },
) => c.html(MessagePage({ t, moduleName, ...text }), status);

async function show({ visits, moduleName }: VisitParts, c: C, problem?: Problem): Promise<Response> {
  const { account, formToken } = c.get("visit");
  const done = c.req.query("done");
  const view = await visits.view(account);
  const props = { t, moduleName, view, formToken, problem, done: isDone(done) && !problem ? done : undefined };
  return c.html(AccountPage(props), problem ? 422 : 200);
}

async function readChannel({ visits }: VisitParts, c: C, at: { kind?: string; id?: string }): Promise<ChannelForm> {
  const form = c.get("form");
  const view = await visits.view(c.get("visit").account);
  const schema =
    view.kinds.find(({ kind }) => kind === at.kind)?.schema ??
    view.channels.find(({ channel }) => channel.id === at.id)?.schema;
  const unsure = form.get("unsure") ?? undefined;
  return { name: form.get("name") ?? "", settings: schema ? readFields(schema, form) : {}, unsure };
}
