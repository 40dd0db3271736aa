import type { ChannelId } from "gangway-messenger/ids";
import { type Context, Hono } from "hono";
import type { AccountId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/pausing.ts";
import type { Fleet } from "../../module/vendor/fleet.ts";
import type { Paused, Pausing } from "../../module/vendor/pausing.ts";
import { OneAccountPage } from "../../pages/console/account.tsx";
import { PausePage } from "../../pages/console/pausing.tsx";
import type { Env } from "../serving/request.ts";
import type { Guarded } from "./guarded.ts";

type C = Context<Env>;

interface Parts extends Guarded {
  fleet: Pick<Fleet, "account">;
  pausing: Pausing;
  clock: { now(): number };
}

const idOf = (c: C) => c.req.param("id") as AccountId;
const pageOf = (c: C) => `/accounts/${encodeURIComponent(idOf(c))}`;

/** An account's page, and the vendor's acts on it: pausing and resuming it or a channel, and setting its limits. */
export function pausingRoutes({ fleet, pausing, clock, frameOf, requireForm }: Parts): Hono<Env> {
  const site = new Hono<Env>();
  const show = async (c: C, refused?: { name: string; fault: string; typed: URLSearchParams }) => {
    const found = await fleet.account(idOf(c));
    if (!found) return c.notFound();
    const shown = { ...frameOf(c), ...found, now: clock.now(), ranges: pausing.ranges };
    const limitsTyped = refused && Object.fromEntries(LIMITS.map((name) => [name, refused.typed.get(name) ?? ""]));
    const done = refused ? undefined : c.req.query("done");
    return c.html(OneAccountPage({ ...shown, done, refused, limitsTyped }), refused ? 422 : 200);
  };
  const find = (c: C) => pausing.find(idOf(c), c.req.param("channel") as ChannelId | undefined);
  /** Asks before something is paused or resumed. */
  const ask = async (c: C, { account, channel }: Paused, again: { problem?: string; reason?: string } = {}) => {
    const isPaused = (channel ?? account).pauseReason !== undefined;
    const since = isPaused ? await pausing.since({ account, channel }) : undefined;
    const { reason = (channel ?? account).pauseReason } = again;
    const asked = { account, channel, act: c.req.path.endsWith("/resume") ? ("resume" as const) : ("pause" as const) };
    return c.html(PausePage({ ...frameOf(c), ...asked, ...again, reason, since }), again.problem ? 422 : 200);
  };
  const asked = async (c: C) => {
    const found = await find(c);
    return found ? ask(c, found) : c.notFound();
  };
  const pause = async (c: C) => {
    const found = await find(c);
    if (!found) return c.notFound();
    const reason = c.get("form").get("reason") ?? "";
    const outcome = await pausing.pause(found, reason);
    return outcome.ok ? c.redirect(`${pageOf(c)}?done=paused`, 303) : ask(c, found, { problem: outcome.fault, reason });
  };
  const resume = async (c: C) => {
    const found = await find(c);
    if (!found) return c.notFound();
    await pausing.resume(found);
    return c.redirect(`${pageOf(c)}?done=resumed`, 303);
  };
  site.get("/accounts/:id", (c) => show(c));
  site.get("/accounts/:id/pause", asked);
  site.get("/accounts/:id/resume", asked);
  site.get("/accounts/:id/channels/:channel/pause", asked);
  site.get("/accounts/:id/channels/:channel/resume", asked);
  site.post("/accounts/:id/pause", requireForm, pause);
  site.post("/accounts/:id/resume", requireForm, resume);
  site.post("/accounts/:id/channels/:channel/pause", requireForm, pause);
  site.post("/accounts/:id/channels/:channel/resume", requireForm, resume);
  site.get("/accounts/:id/limits", (c) => c.redirect(pageOf(c), 303));
  site.post("/accounts/:id/limits", requireForm, async (c) => {
    const found = await find(c);
    if (!found) return c.notFound();
    const typed = c.get("form");
    const given = Object.fromEntries(LIMITS.map((name) => [name, typed.get(name) ?? undefined]));
    const outcome = await pausing.limit(found.account, given);
    return outcome.ok ? c.redirect(`${pageOf(c)}?done=limits`, 303) : show(c, { ...outcome, typed });
  });
  return site;
}
