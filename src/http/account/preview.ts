import type { ChannelId } from "gangway-messenger/ids";
import type { Context } from "hono";
import * as z from "zod";
import type { Visits } from "../../module/account/visits.ts";
import { PreviewPage } from "../../pages/preview.tsx";
import type { Env } from "../serving/request.ts";
import { frameOf } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";

/** Maximum length of the sketch, in UTF-16 units. */
const MAX_TEXT_LENGTH = 20_000;
const MAX_FILES = 20;
const MAX_BUTTONS = 10;

const number = (max: number) => z.coerce.number().min(0).max(max).catch(0);
const fields = z.object({
  text: z.string().max(MAX_TEXT_LENGTH).catch(""),
  kind: z.enum(["image", "file", "audio"]).catch("image"),
  count: number(MAX_FILES).transform(Math.floor),
  size: number(1000),
  buttons: z.string().catch(""),
});

/** `/account/:account/channels/:id/preview`: shows how a message would be delivered. No calls, no changes. */
export function previewPage({ visits, moduleName }: { visits: Visits; moduleName: string }) {
  const say = createSay(moduleName);
  return async (c: Context<Env>): Promise<Response> => {
    // The form is posted, although nothing changes: the text may be too long for a URL.
    const input = fields.parse(Object.fromEntries(c.get("form") ?? []));
    const typed = { ...input, count: String(input.count), size: String(input.size) };
    const files = input.count > 0 ? { kind: input.kind, count: input.count, megabytes: input.size } : undefined;
    const buttons = input.buttons
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean)
      .slice(0, MAX_BUTTONS);
    const sketch = { text: input.text, files, buttons };
    const frame = await frameOf(c, moduleName);
    const shown = await visits.preview(
      c.get("visit").account,
      c.req.param("id") as ChannelId,
      sketch,
      frame.t.language,
    );
    if (!shown) return say(c, 404, "notFound");
    const empty = !sketch.text && !files;
    const formToken = c.get("formToken");
    const { channel } = shown;
    const view = await visits.channel(c.get("visit").account, channel.id, frame.t.language);
    const props = { ...frame, formToken, channel, typed, view, preview: empty ? undefined : shown.preview };
    return c.html(PreviewPage(props));
  };
}
