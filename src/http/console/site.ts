import type { Clock } from "gangway-messenger/clock";
import { sameSecret } from "gangway-messenger/ids";
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { reachesPowerOfTen } from "../../domain/counts.ts";
import { Overload } from "../../domain/delivery.ts";
import type { JobId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import type { BulkActs } from "../../module/vendor/bulk.ts";
import { type Fleet, standingIn } from "../../module/vendor/fleet.ts";
import type { Pausing } from "../../module/vendor/pausing.ts";
import type { Replays } from "../../module/vendor/replays.ts";
import type { RollOut } from "../../module/vendor/rollout.ts";
import type { LinkForSupport } from "../../module/vendor/support.ts";
import { AccountsPage } from "../../pages/console/accounts.tsx";
import { EventsPage } from "../../pages/console/events.tsx";
import { AuditPage, UndeliveredPage } from "../../pages/console/lists.tsx";
import { FindPage, StoryPage } from "../../pages/console/messages.tsx";
import { NothingHerePage, NotYetPage, SignInPage } from "../../pages/console/sign-in.tsx";
import { logo } from "../../pages/logo.ts";
import { styleSheet } from "../../pages/style.ts";
import { API } from "../api/openapi.ts";
import { type ApiParts, apiSite } from "../api/site.ts";
import { compressed, fileAsset, textAsset } from "../serving/assets.ts";
import { BodyTooLarge, type Env, readBody } from "../serving/request.ts";
import { isForm, pageHeaders } from "../visit/cross-site.ts";
import { masked, unmasked } from "../visit/form-token.ts";
import { bulkRoutes } from "./bulk.ts";
import { csvOf } from "./csv.ts";
import { pausingRoutes } from "./pausing.ts";
import { replayRoutes } from "./replaying.ts";
import { rollOutRoutes } from "./rollout.ts";
import { createSignIns, type SignIns } from "./sign-in.ts";
import { supportLinks } from "./support.ts";

export interface ConsoleParts {
  /** The token that signs in to the console. */
  token: string;
  moduleName: string;
  formBytes: number;
  fleet: Fleet;
  linkForSupport: LinkForSupport;
  pausing: Pausing;
  bulk: BulkActs;
  replays: Replays;
  rollOut: RollOut;
  /** The API for the vendor's own programs, served below `API`. */
  api: ApiParts;
  /** Whether a database error is temporary. */
  isAway(error: unknown): boolean;
  clock: Pick<Clock, "monotonic" | "now">;
  log: Log;
}

type C = Context<Env>;

/** Accounts per page. */
const ON_A_PAGE = 50;
const [ACTS_SHOWN, ACTS_EXPORTED] = [200, 10_000];
const [REASONS_SHOWN, EVENTS_SHOWN] = [100, 200];
const NOT_YET = "The figures are not read yet: try again in a minute";
const SOON = { "retry-after": "60" };

/** The vendor's console over all accounts, on its own port. Without a session every page asks for the token. */
export function consoleSite(parts: ConsoleParts): Hono<Env> {
  const site = new Hono<Env>();
  const { moduleName, clock, log } = parts;
  const signIns = createSignIns(clock);
  site.use(pageHeaders(false));
  site.use(compressed);
  site.onError((error, c) => {
    if (error instanceof BodyTooLarge) return c.text("The form is too large", 413);
    if (error instanceof Overload) return c.text(error.message, 503, { "retry-after": String(error.retryAfter) });
    log.error("http.failed", { path: c.req.routePath, error: error.message });
    return parts.isAway(error) ? c.text("The database is away", 503) : c.text("This has failed; see the log", 500);
  });
  site.get("/style.css", fileAsset(styleSheet, "text/css; charset=utf-8"));
  site.get("/forms.js", fileAsset(new URL("./forms.js", import.meta.url), "text/javascript; charset=utf-8"));
  site.get("/icons.svg", fileAsset(new URL("./icons.svg", import.meta.url), "image/svg+xml"));
  site.get("/logo.svg", textAsset(logo, "image/svg+xml"));
  site.route(API, apiSite(parts.api));
  site.post("/sign-in", signIn(parts, signIns));
  site.use(async (c, next) => {
    const formToken = signIns.use(c);
    if (formToken === undefined) return c.html(SignInPage({ moduleName, path: c.req.path }), 401);
    c.set("formToken", formToken);
    return next();
  });
  const requireForm = formGuard(parts);
  site.post("/sign-out", requireForm, (c) => {
    signIns.end(c);
    return c.redirect("/accounts", 303);
  });
  for (const path of ["/", "/sign-in", "/sign-out"]) site.get(path, (c) => c.redirect("/accounts", 303));
  const frameOf = (c: C) => ({ moduleName, formToken: masked(c.get("formToken")), path: c.req.path });
  site.notFound((c) => c.html(NothingHerePage(frameOf(c)), 404));
  site.route("/", lists(parts, frameOf));
  site.route("/", pausingRoutes({ ...parts, frameOf, requireForm }));
  site.route("/", messages(parts, frameOf, requireForm));
  site.route("/", supportLinks({ ...parts, frameOf, requireForm }));
  site.route("/", bulkRoutes({ ...parts, frameOf, requireForm }));
  site.route("/", replayRoutes({ ...parts, frameOf, requireForm }));
  site.route("/", rollOutRoutes({ ...parts, frameOf, requireForm }));
  return site;
}

const FOREIGN = "That form was not sent from this page. Go back, reload it, and try again.";

type FrameOf = (c: C) => { moduleName: string; formToken: string; path: string };

/** The console page to return to; any other address becomes the list of accounts. */
const pageIn = (to: string | null): string =>
  to !== null && /^\/(accounts|messages|undelivered|events|features|audit)(\/[\w-]{1,40}){0,2}$/.test(to)
    ? to
    : "/accounts";

/** A 32-character token cannot be guessed, so failures are counted, not limited. */
function signIn({ moduleName, formBytes, token, log }: ConsoleParts, signIns: SignIns) {
  let refused = 0;
  return async (c: C) => {
    const form = new URLSearchParams(await readBody(c, formBytes));
    const ask = (problem: string) => SignInPage({ moduleName, path: pageIn(form.get("to")), problem });
    if (!isForm(c) || !isOwn(c)) return c.html(ask(FOREIGN), 403);
    if (sameSecret(form.get("token") ?? "", token)) {
      signIns.start(c);
      log.info("console.opened");
      return c.redirect(pageIn(form.get("to")), 303);
    }
    refused += 1;
    if (reachesPowerOfTen(refused)) log.warn("console.refused", { count: refused });
    return c.html(ask("That is not the console's token."), 401);
  };
}

/** Requires the session's form token and our own origin. */
const formGuard = ({ formBytes }: ConsoleParts) =>
  createMiddleware<Env>(async (c, next) => {
    const form = new URLSearchParams(await readBody(c, formBytes));
    const isProven = sameSecret(unmasked(form.get("formToken") ?? ""), c.get("formToken"));
    if (!isProven || !isForm(c) || !isOwn(c)) return c.text(FOREIGN, 403);
    c.set("form", form);
    return next();
  });

/** Compares with the Host header, since the console has no fixed address: a tunnel or proxy may lead to it. */
function isOwn(c: C): boolean {
  const [site, origin] = [c.req.header("sec-fetch-site"), c.req.header("origin")];
  if (site !== undefined) return site === "same-origin" || site === "none";
  return origin === undefined || URL.parse(origin)?.host === c.req.header("host");
}

function lists({ fleet }: ConsoleParts, frameOf: FrameOf): Hono<Env> {
  const site = new Hono<Env>();
  const asked = (c: C) => ({ text: c.req.query("text") ?? "", standing: standingIn(c.req.query("standing")) });
  site.get("/accounts", async (c) => {
    const found = await fleet.accounts(asked(c));
    if (!found) return c.html(NotYetPage(frameOf(c)), 503, SOON);
    const { at, accounts } = found;
    const pages = Math.max(1, Math.ceil(accounts.length / ON_A_PAGE));
    const page = Math.min(pages, Math.max(1, Math.trunc(Number(c.req.query("page"))) || 1));
    const shown = accounts.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE);
    const list = { at, accounts: shown, count: accounts.length, page, pages };
    return c.html(AccountsPage({ ...frameOf(c), ...asked(c), ...list }));
  });
  site.get("/accounts.csv", async (c) => {
    const found = await fleet.accounts(asked(c));
    if (!found) return c.text(NOT_YET, 503, SOON);
    const rows = found.accounts.map(({ dueAt, limits, ...row }) => ({
      ...{ ...row, calls: limits?.calls, jobs: limits?.jobs },
      dueSince: dueAt && new Date(dueAt).toISOString(),
    }));
    const sums = ["waiting", "dueSince", "held", "undelivered"] as const;
    const own = ["pauseReason", "calls", "jobs"] as const;
    return download(c, "accounts.csv", csvOf(["id", "crmUrl", "standing", "channels", ...sums, ...own], rows));
  });
  site.get("/accounts.json", async (c) => {
    const found = await fleet.accounts(asked(c));
    return found ? c.json(found) : c.text(NOT_YET, 503, SOON);
  });
  site.get("/undelivered", async (c) => {
    const [reasons, held] = await Promise.all([
      fleet.undelivered(REASONS_SHOWN),
      fleet.undelivered(REASONS_SHOWN, "held"),
    ]);
    return c.html(UndeliveredPage({ ...frameOf(c), reasons, held }));
  });
  site.get("/events", async (c) => c.html(EventsPage({ ...frameOf(c), events: await fleet.events(EVENTS_SHOWN) })));
  site.get("/audit", async (c) => c.html(AuditPage({ ...frameOf(c), acts: await fleet.audit(ACTS_SHOWN) })));
  site.get("/audit.json", async (c) => c.json({ acts: await fleet.audit(ACTS_EXPORTED) }));
  site.get("/audit.csv", async (c) => {
    const acts = (await fleet.audit(ACTS_EXPORTED)).map((act) => ({
      ...{ ...act, at: new Date(act.at).toISOString(), detail: JSON.stringify(act.detail) },
    }));
    return download(c, "audit.csv", csvOf(["at", "actor", "action", "accountId", "crmUrl", "detail"], acts));
  });
  return site;
}

/** Searches are posted, so that their text is in no address and no proxy's log. */
function messages({ fleet }: ConsoleParts, frameOf: FrameOf, requireForm: ReturnType<typeof formGuard>): Hono<Env> {
  const site = new Hono<Env>();
  site.get("/messages", (c) => c.html(FindPage({ ...frameOf(c), text: "" })));
  site.post("/messages", requireForm, async (c) => {
    const text = c.get("form").get("text") ?? "";
    const before = idIn(c.get("form").get("before"));
    const { found, reached } = await fleet.find(text, { before });
    return c.html(FindPage({ ...frameOf(c), text, found, reached: reached && { ...reached, before } }));
  });
  site.get("/messages/:id{[1-9][0-9]{0,14}}", async (c) => {
    const found = await fleet.story(Number(c.req.param("id")) as JobId);
    if (!found) return c.notFound();
    const { steps, ...message } = found;
    return c.html(StoryPage({ ...frameOf(c), message, steps, done: c.req.query("done") }));
  });
  return site;
}

const idIn = (text: string | null) => (/^[1-9]\d{0,14}$/.test(text ?? "") ? (Number(text) as JobId) : undefined);

const download = (c: C, name: string, text: string) =>
  c.body(text, 200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}"`,
  });
