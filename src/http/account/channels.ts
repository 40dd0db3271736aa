import { formFields, type Schema } from "gangway-messenger/form";
import type { ChannelId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import { type Context, Hono } from "hono";
import type { KindView, Visits } from "../../module/account/visits.ts";
import type { ChannelActions } from "../../module/channels/channels.ts";
import type { CheckChannel } from "../../module/channels/check.ts";
import type { ChannelForm } from "../../module/channels/form.ts";
import type { ChannelFault, ChannelResult } from "../../module/channels/link.ts";
import type { Standings } from "../../module/health/standings.ts";
import { failedWhileStopped } from "../../module/messages/undelivered.ts";
import type { TemplateSync } from "../../module/templates/templates.ts";
import { AddChannelPage } from "../../pages/add-channel.tsx";
import { RemovePage } from "../../pages/asking.tsx";
import { ChannelPage } from "../../pages/channel.tsx";
import { REPLACING } from "../../pages/channel-form.tsx";
import { CheckedChannel } from "../../pages/checked-channel.tsx";
import { GalleryPage } from "../../pages/gallery.tsx";
import type { Fault, Problem } from "../../pages/props.ts";
import { type Env, pageIn } from "../serving/request.ts";
import { type Done, doneIn } from "../visit/done.ts";
import { frameOf, stringsFor } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";
import type { VisitGuard } from "../visit/visit-guard.ts";
import type { Live } from "./live.ts";
import { previewPage } from "./preview.ts";

/** Converts form strings to the types in the schema. */
function readFields(schema: Schema, form: URLSearchParams): Record<string, unknown> {
  const fields = formFields(schema).map(({ name, control, required, initial }) => {
    const typed = form.get(`setting.${name}`);
    const value = (typed ?? "").replaceAll("\r\n", "\n");
    if (control === "checkbox") return [name, typed === "on"];
    if (control === "list") return [name, lines(value)];
    if (value !== "") return [name, control === "number" ? Number(value) : value];
    // Secrets are never shown, so an empty field keeps the stored value.
    if (control === "secret") return undefined;
    // An empty optional text is undefined, unless the field has a default.
    const isAbsent = typed === null || control === "number" || (!required && initial === undefined);
    return [name, isAbsent ? undefined : value];
  });
  return Object.fromEntries(fields.filter((field) => field !== undefined));
}

const lines = (value: string): string[] =>
  value
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);

export interface ChannelParts {
  moduleName: string;
  visits: Visits;
  channels: ChannelActions;
  checkChannel: CheckChannel;
  standings: Pick<Standings, "look">;
  templates: Pick<TemplateSync, "now">;
  guard: Pick<VisitGuard, "requireVisit">;
  live: Pick<Live, "address">;
  /** Renders the account's page with a fault that belongs to no messenger's page. */
  showRefused(c: Context<Env>, fault: Fault): Promise<Response>;
}

type C = Context<Env>;
const channelPage = (c: C, id: string) => `${pageIn(c)}/channels/${encodeURIComponent(id)}`;

const accountOf = (c: C) => c.get("visit").account;
const browserOf = (c: C) => c.get("visit").browser;
const channelId = (c: C) => c.req.param("id") as ChannelId;

/** Renders the pages, and reads their forms. */
function channelPages({ moduleName, visits, standings, live, showRefused }: ChannelParts) {
  const say = createSay(moduleName);
  const kindOf = (kind: string, variant?: string) =>
    visits.kinds.find((each) => each.kind === kind && each.variant?.name === variant);
  const showAdding = async (c: C, kind: string, variant?: string, problem?: Problem) => {
    const frame = await frameOf(c, moduleName);
    const view = kindOf(kind, variant);
    if (!view) return problem ? showRefused(c, problem.fault) : say(c, 404, "notFound");
    return c.html(AddChannelPage({ ...frame, view, formToken: c.get("formToken"), problem }), problem ? 422 : 200);
  };
  const askRemoval = async (c: C) => {
    const frame = await frameOf(c, moduleName);
    const view = await visits.channel(accountOf(c), channelId(c), frame.t.language);
    if (!view) return say(c, 404, "notFound");
    return c.html(RemovePage({ ...frame, channel: view.channel, formToken: c.get("formToken") }));
  };
  const showChannel = async (c: C, id: ChannelId, problem?: Problem) => {
    const frame = { ...(await frameOf(c, moduleName)), live: live.address(c) };
    if (!problem) await standings.look(accountOf(c), id);
    const view = await visits.channel(accountOf(c), id, frame.t.language);
    if (!view) return say(c, 404, "notFound");
    const [done] = problem ? [] : doneIn(c, frame.t.done);
    const failedMeanwhile = done && failedWhileStopped((await c.get("countEnded")?.()) ?? [], id);
    const props = { ...frame, view, formToken: c.get("formToken"), problem };
    return c.html(ChannelPage({ ...props, done, failedMeanwhile }), problem ? 422 : 200);
  };
  const problemOf = (c: C, fault: ChannelFault): Problem => ({
    fault: inWords(fault, stringsFor(c).language),
    typed: c.get("form"),
  });
  /** Translates what messenger and gateway say into the page's language. */
  const inWords = (fault: ChannelFault, language: Language): Fault => ({
    ...fault,
    ...("detail" in fault && { detail: visits.explain(fault.detail, language) }),
    ...("message" in fault && { message: visits.explain(fault.message, language) }),
  });
  const readChannel = (c: C, view?: Pick<KindView, "schema">): ChannelForm => {
    const form = c.get("form");
    const [unsure, past] = ["unsure", "past"].map((name) => form.get(name) ?? undefined);
    return { name: form.get("name") ?? "", settings: view ? readFields(view.schema, form) : {}, unsure, past };
  };

  const showChecked = async (c: C, checkChannel: CheckChannel) => {
    const view = kindOf(c.req.param("kind") ?? "");
    // The browser aborts the request when the form is changed or submitted.
    const checked = await checkChannel(accountOf(c), view?.kind ?? "", readChannel(c, view), c.req.raw.signal);
    if (!view || !checked) return say(c, 404, "notFound");
    const t = stringsFor(c);
    const fault = checked.fault && inWords(checked.fault, t.language);
    return c.html(CheckedChannel({ t, view, checked: { ...checked, fault } }));
  };

  return { askRemoval, kindOf, showAdding, showChannel, showChecked, readChannel, problemOf };
}

/** Replacing a secret happens above the tabs, so no tab is selected. */
const changedIn = (c: C) => (c.get("form").has(REPLACING) ? "" : "#settings");

const SYNC_DONE = { done: "synchronised", running: "synchronising" } as const satisfies Record<string, Done>;

/** Pages and forms of channels. Posts pass the account page's guards first. */
export function channelRoutes(parts: ChannelParts): Hono<Env> {
  const { moduleName, visits, channels, guard } = parts;
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  const { askRemoval, kindOf, showAdding, showChannel, showChecked, readChannel, problemOf } = channelPages(parts);
  const answer = (c: C, result: ChannelResult, done: Done) => {
    if (!result.ok)
      return result.fault.code === "gone"
        ? say(c, 404, "notFound")
        : showChannel(c, channelId(c), problemOf(c, result.fault));
    const page = done === "removed" ? pageIn(c) : channelPage(c, result.channel.id);
    return c.redirect(`${page}?done=${done}${done === "changed" ? changedIn(c) : ""}`, 303);
  };
  const preview = previewPage({ visits, moduleName });
  site.get("/channels/:id/preview", guard.requireVisit, preview);
  site.post("/channels/:id/preview", preview);
  site.get("/add", guard.requireVisit, async (c) =>
    c.html(GalleryPage({ ...(await frameOf(c, moduleName)), view: visits })),
  );
  site.get("/add/:kind", guard.requireVisit, (c) => showAdding(c, c.req.param("kind")));
  site.get("/add/:kind/as/:variant", guard.requireVisit, (c) =>
    showAdding(c, c.req.param("kind"), c.req.param("variant")),
  );
  site.post("/add/:kind/check", (c) => showChecked(c, parts.checkChannel));
  site.get("/channels/:id", guard.requireVisit, (c) => showChannel(c, channelId(c)));
  site.get("/channels/:id/remove", guard.requireVisit, askRemoval);
  // Browsers send GET when a refused form's page is reloaded.
  site.get("/channels", (c) => c.redirect(pageIn(c), 303));
  site.get("/add/:kind/check", (c) => c.redirect(`${pageIn(c)}/add/${encodeURIComponent(c.req.param("kind"))}`, 303));
  for (const verb of ["pause", "resume", "templates"])
    site.get(`/channels/:id/${verb}`, (c) => c.redirect(channelPage(c, channelId(c)), 303));
  site.post("/channels", async (c) => {
    const [kind = "", variant] = ["kind", "variant"].map((name) => c.get("form").get(name) ?? undefined);
    const result = await channels.add(accountOf(c), kind, readChannel(c, kindOf(kind)), browserOf(c));
    if (!result.ok) return showAdding(c, kind, variant, problemOf(c, result.fault));
    return c.redirect(`${channelPage(c, result.channel.id)}?done=added`, 303);
  });
  site.post("/channels/:id", async (c) => {
    const id = channelId(c);
    const view = await visits.channel(accountOf(c), id, stringsFor(c).language);
    return answer(c, await channels.change(accountOf(c), id, readChannel(c, view), browserOf(c)), "changed");
  });
  site.post("/channels/:id/remove", async (c) =>
    answer(c, await channels.remove(accountOf(c), channelId(c), { browser: browserOf(c) }), "removed"),
  );
  site.post("/channels/:id/pause", async (c) =>
    answer(c, await channels.pause(accountOf(c), channelId(c), browserOf(c)), "paused"),
  );
  site.post("/channels/:id/resume", async (c) =>
    answer(c, await channels.resume(accountOf(c), channelId(c), browserOf(c)), "resumed"),
  );
  site.post("/channels/:id/templates", async (c) => {
    const result = await parts.templates.now(accountOf(c), channelId(c));
    if (result === undefined) return say(c, 404, "notFound");
    const page = channelPage(c, channelId(c));
    // The page itself shows a failed sync.
    return c.redirect(`${result === "failed" ? page : `${page}?done=${SYNC_DONE[result]}`}#templates`, 303);
  });
  return site;
}
