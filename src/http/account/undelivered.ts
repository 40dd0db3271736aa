import type { ChannelId } from "gangway-messenger/ids";
import { type Context, Hono } from "hono";
import type { JobId } from "../../domain/ids.ts";
import type { MessageStories } from "../../module/messages/stories.ts";
import type { Decided, Decision, Filter, Undelivered } from "../../module/messages/undelivered.ts";
import { AllPage } from "../../pages/asking.tsx";
import { UndeliveredPage } from "../../pages/undelivered.tsx";
import { type Env, pageIn } from "../serving/request.ts";
import { frameOf, stringsFor } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";
import type { VisitGuard } from "../visit/visit-guard.ts";

export interface UndeliveredParts {
  moduleName: string;
  undelivered: Undelivered;
  stories: Pick<MessageStories, "of">;
  guard: Pick<VisitGuard, "requireVisit">;
}

type C = Context<Env>;

/** Undelivered messages on the account's pages. Posts pass the account page's guards first. */
export function undeliveredRoutes({ moduleName, undelivered, stories, guard }: UndeliveredParts): Hono<Env> {
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  const account = (c: C) => c.get("visit").account;
  const browser = (c: C) => c.get("visit").browser;
  /** Redirects to the list with its filter. */
  const back = (c: C, what: Decision | "unselected", { count, discardedAt }: Decided) => {
    // Restored messages are listed as dead.
    const { state = what === "restore" ? "dead" : undefined, channelId, code } = readFilter(c.get("form"));
    const query = { ...(state && { state }), ...(channelId && { channel: channelId }), ...(code && { reason: code }) };
    const done = { done: what, count: String(count), ...(count > 0 && discardedAt && { undo: String(discardedAt) }) };
    return c.redirect(`${pageIn(c)}/undelivered?${new URLSearchParams({ ...query, ...done })}`, 303);
  };
  site.get("/undelivered", guard.requireVisit, async (c) => {
    const frame = await frameOf(c, moduleName);
    const query = new URL(c.req.url).searchParams;
    const counts = (await c.get("countEnded")?.()) ?? [];
    const view = await undelivered.list(account(c), readFilter(query), frame.t.language, counts);
    const done = ([...DECISIONS, UNSELECTED] as const).find((what) => what === query.get("done"));
    const count = numberIn(query.get("count"));
    const undo = numberIn(query.get("undo")) || undefined;
    const formToken = c.get("formToken");
    return c.html(UndeliveredPage({ ...frame, view, formToken, done: done && { what: done, count, undo } }));
  });
  site.get("/undelivered/all", guard.requireVisit, async (c) => {
    const frame = await frameOf(c, moduleName);
    const counts = (await c.get("countEnded")?.()) ?? [];
    const filter = readFilter(new URL(c.req.url).searchParams);
    const view = await undelivered.list(account(c), filter, frame.t.language, counts);
    // Somebody else has decided meanwhile.
    if (view.fitting === 0 || isWider(view.filter, filter)) return c.redirect(`${pageIn(c)}/undelivered`, 303);
    return c.html(AllPage({ ...frame, view, formToken: c.get("formToken") }));
  });
  site.post("/undelivered", async (c) => {
    const form = c.get("form");
    const [what, all] = (form.get("what") ?? "").split(" ");
    const decision = DECISIONS.find((each) => each === what);
    if (!decision) return say(c, 404, "notFound");
    const ids = form.getAll("job").flatMap((id) => jobIn(id) ?? []);
    if (decision === "restore")
      return back(c, decision, { count: await undelivered.undo(account(c), numberIn(form.get("undo")), browser(c)) });
    if (all !== "all" && ids.length === 0) return back(c, UNSELECTED, { count: 0 });
    // Excludes messages that failed after the question was shown.
    const which = all === "all" ? { ...readFilter(form), to: numberIn(form.get("until")) || undefined } : ids;
    return back(c, decision, await undelivered.decideAll(account(c), which, decision, browser(c)));
  });
  for (const what of DECISIONS) {
    site.get(`/jobs/:id/${what}`, (c) => c.redirect(`${pageIn(c)}/undelivered`, 303));
    site.post(`/jobs/:id/${what}`, async (c) => {
      const job = jobIn(c.req.param("id"));
      if (job === undefined) return say(c, 404, "notFound");
      const decided = await undelivered.decide(account(c), job, what, browser(c));
      if (decided.count > 0) return back(c, what, decided);
      // Decided already by a second click or a colleague: the message's story shows the outcome.
      const isOwn = await stories.of(account(c), job, stringsFor(c).language);
      return isOwn ? c.redirect(`${pageIn(c)}/messages/${job}`, 303) : say(c, 404, "notFound");
    });
  }
  return site;
}

const UNSELECTED = "unselected";
const DECISIONS: Decision[] = ["again", "arrived", "drop", "discard", "restore"];

const jobIn = (text: string): JobId | undefined => (/^\d{1,15}$/.test(text) ? (Number(text) as JobId) : undefined);
const numberIn = (text: string | null): number => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : 0);

/** Invalid filter values count as absent. */
function readFilter(given: URLSearchParams): Filter {
  const state = given.get("state");
  const channel = given.get("channel") ?? "";
  const code = given.get("reason") ?? "";
  return {
    state: state === "held" || state === "dead" ? state : undefined,
    channelId: /^[\w-]{1,40}$/.test(channel) ? (channel as ChannelId) : undefined,
    code: /^[a-z_]{1,40}$/.test(code) ? code : undefined,
    before: jobIn(given.get("before") ?? ""),
  };
}

/** A requested filter value matches nothing any more and was dropped: the result would answer another question. */
const isWider = (found: Filter, asked: Filter): boolean =>
  (["channelId", "code"] as const).some((name) => found[name] !== asked[name]);
