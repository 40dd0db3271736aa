import { z } from "zod";
import { newSecret } from "../../../src/domain/ids.ts";

/** Most characters of one text (write me: by the network's documentation). */
export const TEXT_LENGTH = 4_096;
/** Largest request of the network, bytes. */
export const REQUEST_BYTES = 64 * 1024;

/** The form is drawn from it. `secret` is never shown again, `hidden` is made by the server. */
export const settings = z.object({
  token: z.string().trim().min(8, "should be the token as Acme shows it").meta({ secret: true }),
  webhookSecret: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

/** What the network sends to the door. Fields that it may leave out are `nullish`. */
export const update = z.object({ id: z.string() });
export type Update = z.infer<typeof update>;
