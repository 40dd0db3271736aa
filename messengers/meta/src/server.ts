import * as z from "zod";

/** A URL of Meta's, or of an emulator in its place; no trailing slash. */
export const address = (example: string) =>
  z
    .string()
    .transform((value) => value.replace(/(?<!\/)\/+$/, ""))
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && !new URL(value).search, {
      message: `should be an address such as ${example}`,
    });

export const GRAPH_URL = "https://graph.facebook.com";
/** Calls go to the first; the others are where Meta keeps files. */
export const HOSTS = ["graph.facebook.com", "*.fbsbx.com", "*.fbcdn.net", "*.whatsapp.net"];
const DIALOG_URL = "https://www.facebook.com";

/** The operator's settings that the networks share. The app's settings are absent if no vendor has registered one. */
export const metaSettings = z.object({
  META_APP_ID: z
    .string()
    .regex(/^\d+$/, "should be the app's id, in digits")
    .optional()
    .describe(
      "Id of the operator's own app at Meta. With id, secret and verify token accounts may log in at Meta instead of pasting tokens, and one webhook serves all channels: messengers/meta/README.md#an-app-of-the-operator.",
    ),
  META_APP_SECRET: z
    .string()
    .min(16, "should be the app's secret, as Meta shows it")
    .optional()
    .meta({ description: "Secret of the operator's app at Meta.", secret: true }),
  META_VERIFY_TOKEN: z.string().min(8, "should have at least 8 characters").optional().meta({
    description: "Any text of 8 characters or more, entered at Meta with the webhook's address.",
    secret: true,
  }),
  META_API_VERSION: z
    .string()
    .regex(/^v\d{1,3}\.\d$/, "should be a version such as v26.0")
    .prefault("v26.0")
    .describe("Version of the Graph API."),
  META_GRAPH_URL: address(GRAPH_URL).prefault(GRAPH_URL).describe("Address of the Graph API, or of an emulator."),
  META_DIALOG_URL: address(DIALOG_URL).prefault(DIALOG_URL).describe("Address of Meta's login dialog."),
});
export type MetaServer = z.infer<typeof metaSettings>;

/** The token with which the operator's app itself asks Meta (docs/facebook-login/guides/access-tokens). */
export const appTokenOf = ({ META_APP_ID: id, META_APP_SECRET: secret }: Partial<MetaServer>): string | undefined =>
  id && secret ? `${id}|${secret}` : undefined;
