import { type Context, Hono } from "hono";
import type { ChannelId } from "../domain/ids.ts";
import type { Language } from "../domain/language.ts";
import type { ChannelForm } from "../module/channel-form.ts";
import type { ChannelFault, ChannelResult } from "../module/channel-link.ts";
import type { ChannelActions } from "../module/channels.ts";
import type { Disconnect } from "../module/disconnect.ts";
import type { Undelivered } from "../module/undelivered.ts";
import type { Visits } from "../module/visits.ts";
import { AccountPage } from "../pages/account.tsx";
import { DisconnectPage } from "../pages/disconnect.tsx";
import { EntryPage } from "../pages/entry.tsx";
import { en } from "../pages/i18n/en.ts";
import type { Fault } from "../pages/props.ts";
import type { Admission } from "./admission.ts";
import type { Env } from "./env.ts";
import { frameOf, stringsFor } from "./language.ts";
import { createSay } from "./message.ts";
import { previewPage } from "./preview.ts";
import { readFields } from "./setting-fields.ts";
import { undeliveredRoutes } from "./undelivered.ts";

export interface VisitParts {
  moduleName: string;
  visits: Visits;
  undelivered: Undelivered;
  channels: ChannelActions;
  disconnect: Disconnect;
  retainDays: Parameters<typeof DisconnectPage>[0]["retainDays"];
  admission: Admission;
}

type C = Context<Env>;
type Done = keyof typeof en.done;
type DoneAtStart = keyof typeof en.doneAtStart;
type Problem = Parameters<typeof AccountPage>[0]["problem"];
const isDone = (code: string | undefined): code is Done => code !== undefined && Object.hasOwn(en.done, code);

export function visitRoutes({
  moduleName,
  visits,
  channels,
  undelivered,
  disconnect,
  retainDays,
  admission,
}: VisitParts): Hono<Env> {
  const site = new Hono<Env>();
  const account = (c: C) => c.get("visit").account;
  const channelId = (c: C) => c.req.param("id") as ChannelId;
  const say = createSay(moduleName);
  const show = async (c: C, problem?: Problem) => {
    const done = c.req.query("done");
    const frame = frameOf(c, moduleName);
    const [view, ended] = await Promise.all([visits.view(account(c), frame.t.language), undelivered.count(account(c))]);
    const formToken = c.get("formToken");
    const props = {
      ...frame,
      view,
      ended,
      formToken,
      problem,
      done: isDone(done) && !problem ? done : undefined,
    };
    return c.html(AccountPage(props), problem ? 422 : 200);
  };
  const answer = (c: C, result: ChannelResult, done: Done, at: string) => {
    if (result.ok) return c.redirect(`/account?done=${done}`, 303);
    if (result.fault.code === "gone") return say(c, 404, "notFound");
    return show(c, { fault: inWords(result.fault, stringsFor(c).language), typed: c.get("form"), at });
  };
  /** What messenger and gateway say, in the language of the page. */
  const inWords = (fault: ChannelFault, language: Language): Fault => ({
    ...fault,
    ...("detail" in fault && { detail: visits.explain(fault.detail, language) }),
    ...("message" in fault && { message: visits.explain(fault.message, language) }),
  });
  const readChannel = async (c: C, at: { kind?: string; id?: string }): Promise<ChannelForm> => {
    const form = c.get("form");
    const view = await visits.view(account(c), "en");
    const schema =
      view.kinds.find(({ kind }) => kind === at.kind)?.schema ??
      view.channels.find(({ channel }) => channel.id === at.id)?.schema;
    const unsure = form.get("unsure") ?? undefined;
    return { name: form.get("name") ?? "", settings: schema ? readFields(schema, form) : {}, unsure };
  };

  site.get("/", admission.requireVisit, (c) => {
    const { visit, requested } = c.var;
    if (!requested) return show(c);
    const [open, other] = [visit.account.crmUrl, requested.account.crmUrl];
    return c.html(EntryPage({ ...frameOf(c, moduleName), formToken: c.get("formToken"), open, other }));
  });
  const preview = previewPage({ visits, moduleName });
  site.get("/channels/:id/preview", admission.requireVisit, preview);
  site.get("/disconnect", admission.requireVisit, async (c) => {
    const frame = frameOf(c, moduleName);
    const view = await visits.view(account(c), frame.t.language);
    return c.html(DisconnectPage({ ...frame, view, retainDays, formToken: c.get("formToken") }));
  });
  site.post("/*", admission.requireVisit, admission.requireForm);
  site.post("/channels/:id/preview", preview);
  site.post("/leave", async (c) => {
    await admission.end(c, "session");
    await admission.end(c, "entry");
    return c.redirect("/", 303);
  });
  site.post("/disconnect", async (c) => {
    const { crmUrl } = account(c);
    const isOff = await disconnect(account(c));
    await admission.end(c, "session");
    const done: DoneAtStart = isOff ? "disconnected" : "disconnectedHere";
    return c.redirect(`/?${new URLSearchParams({ account: crmUrl, done })}`, 303);
  });
  site.post("/stay", async (c) => {
    await admission.end(c, "entry");
    return c.redirect("/account", 303);
  });
  site.post("/enter", async (c) => {
    const { requested, form } = c.var;
    if (!requested) return say(c, 403, "foreign");
    // Another account may have been requested since: then ask again.
    if (requested.account.crmUrl === form.get("crmUrl")) await admission.enter(c);
    return c.redirect("/account", 303);
  });
  site.post("/channels", async (c) => {
    const kind = c.get("form").get("kind") ?? "";
    return answer(c, await channels.add(account(c), kind, await readChannel(c, { kind })), "added", kind);
  });
  site.post("/channels/:id", async (c) => {
    const id = channelId(c);
    return answer(c, await channels.change(account(c), id, await readChannel(c, { id })), "changed", id);
  });
  site.post("/channels/:id/remove", async (c) =>
    answer(c, await channels.remove(account(c), channelId(c)), "removed", channelId(c)),
  );
  site.post("/channels/:id/resume", async (c) =>
    answer(c, await channels.resume(account(c), channelId(c)), "resumed", channelId(c)),
  );
  site.route("/", undeliveredRoutes({ moduleName, undelivered, admission }));
  return site;
}
