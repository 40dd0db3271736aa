import { type Context, Hono } from "hono";
import type { History } from "../../module/account/history.ts";
import { HistoryPage } from "../../pages/history.tsx";
import { type Env, pageIn } from "../serving/request.ts";
import { visitFrameOf } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";
import type { VisitGuard } from "../visit/visit-guard.ts";

export interface HistoryParts {
  moduleName: string;
  history: History;
  guard: Pick<VisitGuard, "requireVisit">;
}

type C = Context<Env>;

/** Audit entries and visits of the account. Posts pass the account page's guards first. */
export function historyRoutes({ moduleName, history, guard }: HistoryParts): Hono<Env> {
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  const visit = (c: C) => c.get("visit");
  const done = (c: C) => c.redirect(`${pageIn(c)}/history?done=ended`, 303);
  site.get("/history", guard.requireVisit, async (c) => {
    const { account, id } = visit(c);
    const view = await history.view(account, id);
    const frame = await visitFrameOf(c, moduleName);
    return c.html(HistoryPage({ ...frame, view, ended: c.req.query("done") === "ended" }));
  });
  site.get("/visits/end", (c) => c.redirect(`${pageIn(c)}/history`, 303));
  site.get("/visits/:id/end", (c) => c.redirect(`${pageIn(c)}/history`, 303));
  site.post("/visits/end", async (c) => {
    await history.endVisits(visit(c).account, { allBut: visit(c).id }, visit(c).browser);
    return done(c);
  });
  site.post("/visits/:id/end", async (c) => {
    const found = await history.endVisits(visit(c).account, { id: c.req.param("id") }, visit(c).browser);
    return found ? done(c) : say(c, 404, "notFound");
  });
  return site;
}
