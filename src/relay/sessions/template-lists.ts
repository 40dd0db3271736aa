import * as z from "zod";
import type { ChannelId } from "../../domain/ids.ts";
import { QUALITIES, REJECTIONS, STATUSES, type Template } from "../../domain/message/template.ts";
import type { Store } from "../../store/store.ts";

/** A channel's templates as the messenger last listed them, for its page. One note. */
const note = z.object({
  /** When the messenger's and the gateway's lists were last made alike; ms since 1970. */
  at: z.number().optional(),
  /** Why that failed since. */
  failed: z.object({ at: z.number(), error: z.string() }).optional(),
  templates: z.array(
    z.object({
      ...{ code: z.string(), name: z.string(), language: z.string(), category: z.string() },
      status: z.enum(STATUSES),
      quality: z.enum(QUALITIES).optional(),
      rejection: z.enum(REJECTIONS).optional(),
      unusable: z.string().optional(),
    }),
  ),
  /** How many more there are. */
  more: z.number(),
  /** Digests of both sides of the templates last written: what stays different is not written again. */
  written: z.record(z.string(), z.string()).default({}),
});
export type TemplateList = z.infer<typeof note>;
type Row = TemplateList["templates"][number];

const KEY = "templates";
const MAX_ROWS = 1_000;
const EMPTY: TemplateList = { templates: [], more: 0, written: {} };

export interface TemplateLists {
  read(channel: ChannelId): Promise<TemplateList>;
  write(channel: ChannelId, list: TemplateList): Promise<void>;
}

export function templateLists({ notes }: Pick<Store, "notes">): TemplateLists {
  return {
    async read(channel) {
      const stored = await notes.get(channel, KEY);
      return (stored && note.safeParse(parsed(stored)).data) || EMPTY;
    },
    write: (channel, list) => notes.set(channel, [{ key: KEY, value: JSON.stringify(list) }]),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is kept of them. */
export function rowsOf(templates: Template[]): Pick<TemplateList, "templates" | "more"> {
  const rows = templates.slice(0, MAX_ROWS).map(
    ({ code, name, language, category, status, quality, rejection, unusable }): Row => ({
      ...{ code, name, language, category, status, unusable },
      ...{ quality, rejection: status === "rejected" ? rejection : undefined },
    }),
  );
  return { templates: rows, more: templates.length - rows.length };
}
