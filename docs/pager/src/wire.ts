import { newSecret } from "gangway-messenger/ids";
import { z } from "zod";

/** Most UTF-16 units of one page. */
export const TEXT_LENGTH = 240;
/** An agent may write more: it is sent in pieces. */
export const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Largest webhook, bytes. */
export const REQUEST_BYTES = 64 * 1024;
/** How long an exchange knows a page by its key, ms. */
export const MEMORY_MS = 3_600_000;

/** The form is generated from it. `secret` is never shown again, `hidden` is made by the server. */
export const settings = z.object({
  apiUrl: z
    .url({ protocol: /^https?$/, error: "should be an address such as https://exchange.example" })
    .overwrite((url) => url.replace(/\/+$/, "")),
  token: z.string().trim().min(8, "should be the token as the exchange shows it").meta({ secret: true }),
  webhookSecret: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

/** A webhook. What a pager sends that is no text has a `kind` and no `text`. */
export const update = z.object({
  id: z.string(),
  /** Unix time, ms. */
  at: z.number(),
  from: z.object({ id: z.string(), name: z.string().nullish() }),
  kind: z.string().nullish(),
  text: z.string().nullish(),
});
export type Update = z.infer<typeof update>;
