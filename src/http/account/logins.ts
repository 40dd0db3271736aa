import { type Context, Hono } from "hono";
import type { Brand } from "../../domain/vendor.ts";
import type { Visits } from "../../module/account/visits.ts";
import type { LoginOutcome, Logins } from "../../module/channels/logins.ts";
import { LoginChoicesPage } from "../../pages/login-choices.tsx";
import type { OfferedProps, OutcomeProps } from "../../pages/props.ts";
import { type Env, pageIn } from "../serving/request.ts";
import { ownOrigin, pageHeaders } from "../visit/cross-site.ts";
import { frameOf, stringsFor } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";
import { createVisitGuard, type VisitGuard, type VisitGuardParts } from "../visit/visit-guard.ts";

type C = Context<Env>;

export interface LoginParts {
  moduleName: string;
  publicUrl: string;
  visits: Pick<Visits, "kinds" | "explain">;
  logins: Logins;
  guard: Pick<VisitGuard, "requireVisit">;
}

/** Starts logins and shows their outcome. Posts pass the account page's guards first. */
export function loginRoutes({ moduleName, publicUrl, visits, logins, guard }: LoginParts): Hono<Env> {
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  const choicesPage = (c: C, kind: string) => `${pageIn(c)}/add/${encodeURIComponent(kind)}/choose`;
  const explained = (c: C, outcome: LoginOutcome | undefined): OutcomeProps => {
    if (!outcome) return { fault: { code: "over" } };
    const { language } = stringsFor(c);
    const inWords = <Fault extends object>(fault: Fault) =>
      "detail" in fault ? { ...fault, detail: visits.explain(String(fault.detail), language) } : fault;
    if ("fault" in outcome) return { fault: inWords(outcome.fault) };
    return {
      choices: outcome.choices.map((each): OfferedProps => ({ ...each, fault: each.fault && inWords(each.fault) })),
    };
  };
  site.get("/add/:kind/login", guard.requireVisit, async (c) => {
    if (!ownOrigin(c, publicUrl)) return say(c, 403, "foreign");
    // Messengers refuse to show their login in a frame, and a frame's cookies do not reach a top-level page.
    if (c.req.header("sec-fetch-dest") === "iframe") return say(c, 409, "loginFramed");
    const to = await logins.begin(c.get("visit"), c.req.param("kind"));
    return to === undefined ? say(c, 404, "notFound") : c.redirect(to, 303);
  });
  site.get("/add/:kind/choose", guard.requireVisit, async (c) => {
    const kind = c.req.param("kind");
    const view = visits.kinds.find((each) => each.kind === kind);
    const outcome = await logins.outcome(c.get("visit"), kind);
    if (!view?.login) return c.redirect(pageIn(c), 303);
    const props = { ...(await frameOf(c, moduleName)), view, formToken: c.get("formToken") };
    return c.html(
      LoginChoicesPage({ ...props, outcome: explained(c, outcome), isUnchosen: c.req.query("none") !== undefined }),
      outcome ? 200 : 410,
    );
  });
  site.post("/add/:kind/choose", async (c) => {
    const kind = c.req.param("kind");
    const form = c.get("form");
    const chosen = form.getAll("login");
    if (chosen.length === 0) return c.redirect(`${choicesPage(c, kind)}?none=`, 303);
    const opened = await logins.connect(c.get("visit"), kind, { logins: chosen, past: form.get("past") ?? undefined });
    const [only] = opened ?? [];
    if (!only || chosen.length > 1) return c.redirect(choicesPage(c, kind), 303);
    return c.redirect(`${pageIn(c)}/channels/${encodeURIComponent(only.id)}?done=added`, 303);
  });
  return site;
}

interface ReturnParts extends Omit<VisitGuardParts, "visits"> {
  visits: Visits;
  brand?: Brand;
  logins: Pick<Logins, "comeBack">;
}

/** `/apps/<kind>/login`: the redirect address of all logins at a messenger. */
export function loginReturn(parts: ReturnParts): Hono<Env> {
  const site = new Hono<Env>();
  const guard = createVisitGuard(parts);
  const say = createSay(parts.moduleName);
  site.use("/apps/:kind/login", pageHeaders(parts.embedding), (c, next) => {
    c.set("brand", parts.brand);
    return next();
  });
  site.get("/apps/:kind/login", async (c) => {
    const kind = c.req.param("kind");
    const visit = await parts.logins.comeBack(kind, c.req.query(), await guard.open(c));
    if (!visit) return say(c, 400, "loginOver");
    // Redirect to drop the query from the address bar: it contains the messenger's code.
    return c.redirect(`/account/${visit.account.id}/add/${encodeURIComponent(kind)}/choose`, 303);
  });
  return site;
}
