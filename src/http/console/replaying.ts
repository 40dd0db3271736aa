import type { Clock } from "gangway-messenger/clock";
import { type Context, Hono } from "hono";
import type { AccountId } from "../../domain/ids.ts";
import { MAX_SPAN_MS, type Replays, type Span } from "../../module/vendor/replays.ts";
import { ReplayPage } from "../../pages/console/replaying.tsx";
import type { Env } from "../serving/request.ts";
import { type Guarded, numberIn, utcTime } from "./guarded.ts";

interface Parts extends Guarded {
  replays: Replays;
  clock: Pick<Clock, "now">;
}

/** Searches an account's stored webhooks for missing events, and delivers them after confirmation. */
export function replayRoutes({ replays, clock, frameOf, requireForm }: Parts): Hono<Env> {
  const site = new Hono<Env>();
  const accountIn = (c: Context<Env>) => replays.account((c.req.param("id") ?? "") as AccountId);
  site.get("/accounts/:id/replay", async (c) => {
    const account = await accountIn(c);
    if (!account) return c.notFound();
    const asked = { from: c.req.query("from") ?? "", to: c.req.query("to") ?? "" };
    const span = spanIn(utcTime(asked.from), asked.to === "" ? clock.now() : utcTime(asked.to));
    const page = { ...frameOf(c), account, asked };
    if ("problem" in span) return c.html(ReplayPage({ ...page, ...span }), 422);
    const report = await replays.rehearse(account, span);
    return c.html(ReplayPage({ ...page, found: { ...span, report, isDone: false } }));
  });
  site.post("/accounts/:id/replay", requireForm, async (c) => {
    const account = await accountIn(c);
    if (!account) return c.notFound();
    const form = c.get("form");
    const span = spanIn(numberIn(form.get("from")), numberIn(form.get("to")));
    const page = { ...frameOf(c), account, asked: {} };
    if ("problem" in span) return c.html(ReplayPage({ ...page, ...span }), 422);
    const report = await replays.run(account, span);
    return c.html(ReplayPage({ ...page, found: { ...span, report, isDone: true } }));
  });
  return site;
}

function spanIn(from: number | undefined, to: number | undefined): Span | { problem: string } {
  if (from === undefined || to === undefined) return { problem: "Give both times, such as 2026-01-31T14:30." };
  if (from >= to) return { problem: "The first time should be before the second." };
  if (to - from > MAX_SPAN_MS)
    return { problem: "That is more than 24 hours: search day by day, or with the command gangway replay." };
  return { from, to };
}
