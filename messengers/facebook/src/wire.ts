import { newSecret } from "gangway-messenger/ids";
import * as z from "zod";

/** Longest text, characters (developers.facebook.com/docs/messenger-platform/reference/send-api). */
export const TEXT_LENGTH = 2_000;
/** Largest attachment, bytes. */
export const FILE_BYTES = 25 * 1024 * 1024;

export const settings = z.object({
  pageId: z
    .string()
    .trim()
    .regex(/^\d{5,20}$/, "should be the page's ID: digits only"),
  token: z.string().trim().min(20, "should be the whole page token, as Meta shows it").meta({ secret: true }),
  /** Empty: the app is that of this server's operator. */
  appSecret: z
    .string()
    .trim()
    .regex(/^(\w{16,64})?$/, "should be the app secret: 32 letters and digits")
    .default("")
    .meta({ secret: true }),
  /** Language of cards, and of texts that the module writes itself. */
  language: z.enum(["en", "es", "ru"]).default("en"),
  /** Answer for up to seven days, with a tag that Meta grants to an app. */
  humanAgent: z.boolean().default(false),
  /** Change the app's webhook even if another server receives its messages now. */
  takeOver: z.boolean().default(false),
  /** Meta repeats it when it checks our address. */
  verifyToken: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

export const loginOf = (pageId: string): string => `facebook:${pageId}`;
