import type { Context } from "hono";
import { z } from "zod";
import type { ChannelId } from "../domain/ids.ts";
import type { Visits } from "../module/visits.ts";
import { en } from "../pages/i18n/en.ts";
import { PreviewPage } from "../pages/preview.tsx";
import type { Env } from "./env.ts";
import { saying } from "./message.ts";

/** Longest sketch, UTF-16 units. */
const TEXT_LENGTH = 20_000;
const MOST_FILES = 20;
const MOST_BUTTONS = 10;

const number = (most: number) => z.coerce.number().min(0).max(most).catch(0);
const fields = z.object({
  text: z.string().max(TEXT_LENGTH).catch(""),
  kind: z.enum(["image", "file", "audio"]).catch("image"),
  count: number(MOST_FILES).transform(Math.floor),
  size: number(1000),
  buttons: z.string().catch(""),
});

/** `/account/channels/:id/preview`: what would become of a message; asks nobody, changes nothing. */
export function previewPage({ visits, moduleName }: { visits: Visits; moduleName: string }) {
  const say = saying(moduleName);
  return async (c: Context<Env>): Promise<Response> => {
    // Posted, although nothing changes: a long text is too long for an address.
    const asked = fields.parse(Object.fromEntries(c.get("form") ?? []));
    const typed = { ...asked, count: String(asked.count), size: String(asked.size) };
    const files = asked.count > 0 ? { kind: asked.kind, count: asked.count, megabytes: asked.size } : undefined;
    const buttons = asked.buttons
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean)
      .slice(0, MOST_BUTTONS);
    const sketch = { text: asked.text, files, buttons };
    const shown = await visits.preview(c.get("visit").account, c.req.param("id") as ChannelId, sketch);
    if (!shown) return say(c, 404, en.notFound);
    const empty = !sketch.text && !files;
    const { formToken } = c.get("visit");
    const { channel } = shown;
    const props = { t: en, moduleName, formToken, channel, typed, preview: empty ? undefined : shown.preview };
    return c.html(PreviewPage(props));
  };
}
