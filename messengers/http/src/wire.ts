import { randomBytes } from "node:crypto";
import { newSecret } from "gangway-messenger/ids";
import { LANGUAGES } from "gangway-messenger/language";
import * as z from "zod";

/** Longest text of one message, UTF-16 units; longer ones of agents are split. */
export const TEXT_LENGTH = 4096;
/** An agent may write more: it is sent in pieces. */
export const AGENT_TEXT = 4 * TEXT_LENGTH;
/** Of one message. */
export const MAX_FILES = 10;
/** Largest file, bytes. */
export const FILE_BYTES = 20 * 1024 * 1024;
/** Largest JSON body. */
export const JSON_BYTES = 256 * 1024;

/** Bytes of a key (Standard Webhooks: between 24 and 64). */
const [MIN_KEY, MAX_KEY, OWN_KEY] = [24, 64, 32];
const PREFIX = "whsec_";
/** The bytes behind a secret. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), "base64");

const isSecret = (secret: string) => {
  const { length } = keyOf(secret);
  return /^whsec_[A-Za-z\d+/]+={0,2}$/.test(secret) && length >= MIN_KEY && length <= MAX_KEY;
};
export const newSigningSecret = () => PREFIX + randomBytes(OWN_KEY).toString("base64");

export const settings = z.object({
  /** The URL at which the app receives events; absent: it polls. */
  callbackUrl: z
    .url({ protocol: /^https?$/, error: "should be an address such as https://app.example/gangway" })
    .optional(),
  /** One secret, or the new and the old one during a rotation. */
  signingSecret: z
    .string()
    .transform((typed) => typed.trim().split(/\s+/))
    .refine((secrets) => secrets.length <= 2, "should be one secret, or the new and the old one")
    .refine((secrets) => secrets.every(isSecret), "should be whsec_ and 24 to 64 bytes in base64")
    .transform((secrets) => secrets.join(" "))
    .meta({ secret: true }),
  /** Language of product and order cards. */
  language: z.enum(LANGUAGES).default("en"),
  /** Signs the URLs of uploads. */
  uploadKey: z.string().min(32).default(newSecret).meta({ hidden: true }),
});
export type Settings = z.infer<typeof settings>;

/** Secrets that sign and are accepted, newest first. Never empty. */
export const secretsOf = ({ signingSecret }: Pick<Settings, "signingSecret">): string[] => signingSecret.split(" ");
