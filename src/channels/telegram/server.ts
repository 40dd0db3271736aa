import * as z from "zod";
import type { ChannelContext } from "../port.ts";
import type { Settings } from "./wire.ts";

const PUBLIC_API = "https://api.telegram.org";

export const serverSettings = z.object({
  TELEGRAM_API_URL: z
    .string()
    .transform((v) => v.replace(/(?<!\/)\/+$/, ""))
    .refine((v) => URL.canParse(v) && /^https?:$/.test(new URL(v).protocol) && !new URL(v).search, {
      message: `should be an address such as ${PUBLIC_API}`,
    })
    .optional()
    .describe("Another address of the Bot API, such as a proxy's or an emulator's."),
});

export type Context = ChannelContext<Settings, z.infer<typeof serverSettings>>;

/** No trailing slash. */
export const apiUrlOf = ({ server }: Pick<Context, "server">): string => server.TELEGRAM_API_URL ?? PUBLIC_API;
