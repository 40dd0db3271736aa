import { newSecret } from "gangway-messenger/ids";
import { z } from "zod";

/** Maximum length of one message, UTF-16 units (write me: by the network's documentation). */
export const TEXT_LENGTH = 4_096;
/** An agent may write more: it is sent in pieces. */
export const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Largest webhook, bytes. */
export const REQUEST_BYTES = 64 * 1024;

/** The form is generated from it. `secret` is never shown again, `hidden` is made by the server. */
export const settings = z.object({
  apiUrl: z
    .url({ protocol: /^https?$/, error: "should be an address such as https://api.acme.example" })
    .overwrite((url) => url.replace(/\/+$/, "")),
  token: z.string().trim().min(8, "should be the token as Acme shows it").meta({ secret: true }),
  webhookSecret: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

/** A webhook (write me). Fields that the network may omit are `nullish`. */
export const update = z.object({ id: z.string() });
export type Update = z.infer<typeof update>;
