import type { ChannelId } from "gangway-messenger/ids";
import { type Context, Hono } from "hono";
import type { Visits } from "../../module/account/visits.ts";
import type { LiveTests } from "../../module/health/live-tests.ts";
import type { Rehearsals, SayResult } from "../../module/messages/rehearsals.ts";
import { RehearsalPage } from "../../pages/rehearsal.tsx";
import { TestPage } from "../../pages/testing.tsx";
import { TryPage } from "../../pages/try-out.tsx";
import { type Env, pageIn } from "../serving/request.ts";
import { stringsFor, visitFrameOf } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";
import type { VisitGuard } from "../visit/visit-guard.ts";

export interface TryOutParts {
  moduleName: string;
  visits: Pick<Visits, "channel">;
  liveTests: LiveTests;
  rehearsals: Rehearsals;
  guard: Pick<VisitGuard, "requireVisit">;
}

type C = Context<Env>;

const accountOf = (c: C) => c.get("visit").account;
const channelId = (c: C) => c.req.param("id") as ChannelId;
const channelPage = (c: C) => `${pageIn(c)}/channels/${encodeURIComponent(channelId(c))}`;

/** Rehearsals and connection tests of a channel. Posts pass the account page's guards first. */
export function tryOutRoutes({ moduleName, visits, liveTests, rehearsals, guard }: TryOutParts): Hono<Env> {
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  const common = async (c: C) => ({ ...(await visitFrameOf(c, moduleName)), crmUrl: accountOf(c).crmUrl });
  const viewOf = (c: C) => visits.channel(accountOf(c), channelId(c), stringsFor(c).language);
  const showRehearsal = async (c: C, problem?: { text: string; code: Exclude<SayResult, "said"> }) => {
    const frame = await common(c);
    const [view, rehearsal] = await Promise.all([
      viewOf(c),
      rehearsals.look(accountOf(c), channelId(c), frame.t.language),
    ]);
    if (!view || !rehearsal) return say(c, 404, "notFound");
    const { channel } = view;
    return c.html(RehearsalPage({ ...frame, channel, rehearsal, problem }), problem ? 422 : 200);
  };
  site.get("/channels/:id/try", guard.requireVisit, async (c) => {
    const view = await viewOf(c);
    if (view?.standIn) return showRehearsal(c);
    if (!view?.snippet) return say(c, 404, "notFound");
    return c.html(TryPage({ ...(await common(c)), channel: view.channel, line: view.snippet.line }));
  });
  site.post("/channels/:id/try", async (c) => {
    const text = c.get("form").get("text") ?? "";
    const result = await rehearsals.say(accountOf(c), channelId(c), text);
    if (result === undefined) return say(c, 404, "notFound");
    return result === "said" ? c.redirect(`${channelPage(c)}/try`, 303) : showRehearsal(c, { text, code: result });
  });
  site.get("/channels/:id/test", guard.requireVisit, async (c) => {
    const frame = await common(c);
    const since = Number(c.req.query("since"));
    const [view, test] = await Promise.all([
      viewOf(c),
      liveTests.look(accountOf(c), channelId(c), since, frame.t.language),
    ]);
    if (!view) return say(c, 404, "notFound");
    // The test is over, or never began.
    if (!test) return c.redirect(channelPage(c), 303);
    return c.html(TestPage({ ...frame, view, test }));
  });
  site.post("/channels/:id/test", async (c) => {
    const since = await liveTests.begin(accountOf(c), channelId(c));
    if (since === undefined) return say(c, 404, "notFound");
    return c.redirect(`${channelPage(c)}/test?since=${since}`, 303);
  });
  return site;
}
