import { cutText } from "gangway-messenger/text";
import { type Context, Hono } from "hono";
import type { JobId } from "../../domain/ids.ts";
import type { MessageStories } from "../../module/messages/stories.ts";
import { SearchPage, StoryPage } from "../../pages/stories.tsx";
import type { Env } from "../serving/request.ts";
import { visitFrameOf } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";
import type { VisitGuard } from "../visit/visit-guard.ts";

export interface StoriesParts {
  moduleName: string;
  stories: MessageStories;
  guard: Pick<VisitGuard, "requireVisit">;
}

type C = Context<Env>;

/** Maximum length of a search, in characters. */
const MAX_TEXT = 200;

/** Message search and message stories. Posts pass the account page's guards first. */
export function storyRoutes({ moduleName, stories, guard }: StoriesParts): Hono<Env> {
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  const account = (c: C) => c.get("visit").account;
  const common = (c: C) => visitFrameOf(c, moduleName);
  site.get("/messages", guard.requireVisit, async (c) => c.html(SearchPage(await common(c))));
  site.post("/messages", async (c) => {
    const text = cutText(c.get("form").get("text") ?? "", MAX_TEXT).trim();
    const frame = await common(c);
    return c.html(SearchPage({ ...frame, text, found: await stories.find(account(c), text, frame.t.language) }));
  });
  site.get("/messages/:id", guard.requireVisit, async (c) => {
    const id = c.req.param("id");
    const frame = await common(c);
    const story = /^\d{1,15}$/.test(id)
      ? await stories.of(account(c), Number(id) as JobId, frame.t.language)
      : undefined;
    return story ? c.html(StoryPage({ ...frame, story })) : say(c, 404, "notFound");
  });
  return site;
}
