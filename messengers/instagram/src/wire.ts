import { newSecret } from "gangway-messenger/ids";
import * as z from "zod";

/** Longest text, bytes of UTF-8 (developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api). */
export const TEXT_BYTES = 1_000;
/** Largest picture and largest other file, bytes. */
export const IMAGE_BYTES = 8 * 1024 * 1024;
export const FILE_BYTES = 25 * 1024 * 1024;

export const settings = z.object({
  accountId: z
    .string()
    .trim()
    .regex(/^\d{5,20}$/, "should be the ID of the Instagram account: digits only"),
  token: z.string().trim().min(20, "should be the whole token, as Meta shows it").meta({ secret: true }),
  /** Empty: the app is that of this server's operator. */
  appSecret: z
    .string()
    .trim()
    .regex(/^(\w{16,64})?$/, "should be the Instagram app secret: 32 letters and digits")
    .default("")
    .meta({ secret: true }),
  /** Language of cards, and of texts that the module writes itself. */
  language: z.enum(["en", "es", "ru"]).default("en"),
  /** Answer for up to seven days, with a tag that Meta grants to an app. */
  humanAgent: z.boolean().default(false),
  /** Comments become messages, which are answered in private. */
  comments: z.boolean().default(false),
  /** Meta repeats it when it checks our address. */
  verifyToken: z.string().min(32).default(newSecret).meta({ hidden: true }),
  /** When the token was issued: its fingerprint, a space, and ms since 1970. */
  issued: z.string().default("").meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

export const loginOf = (accountId: string): string => `instagram:${accountId}`;
