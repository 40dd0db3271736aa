import * as z from "zod";
import { parseProxies } from "./domain/proxies.ts";

// Schemas of setting values in the environment, with the messages about invalid ones.

export const flag = z.enum(["0", "1", "true", "false"], "should be 1 or 0").transform((v) => v === "1" || v === "true");
export const integer = (min: number, max: number) =>
  z.coerce
    .number(`should be a whole number from ${min} to ${max}`)
    .int(`should be a whole number from ${min} to ${max}`)
    .min(min, `should be a whole number from ${min} to ${max}`)
    .max(max, `should be a whole number from ${min} to ${max}`);

export const origin = z
  .string()
  .transform((v) => v.replace(/(?<!\/)\/+$/, ""))
  .refine((v) => URL.canParse(v) && new URL(v).origin === v && /^https?:/.test(v), {
    message: "should be an address such as https://gangway.example.com, without a path",
  });
export const KEY_HELP =
  'should be <id>:<32 bytes in base64>, several separated by commas; make one with: echo "k1:$(openssl rand -base64 32)"';
export const keyRing = z.string().transform((value, context) => {
  const keys = value.split(",").map((item) => {
    const [id, text = ""] = item.trim().split(":");
    return { id: id ?? "", key: Buffer.from(text, "base64") };
  });
  const distinct = new Set(keys.map((k) => k.id)).size === keys.length;
  if (distinct && keys.every((k) => /^[\w-]{1,32}$/.test(k.id) && k.key.length === 32)) return { keys };
  context.addIssue({ code: "custom", message: KEY_HELP });
  return z.NEVER;
});
export const crmHosts = z
  .string()
  .transform((v) => v.split(",").map((host) => host.trim().toLowerCase()))
  .refine((hosts) => hosts.every((host) => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host)), {
    message: "should be host names separated by commas, such as *.retailcrm.ru,crm.example.com",
  });

export const trustedProxies = z.string().transform((value, context) => {
  const proxies = parseProxies(value);
  if (proxies) return proxies;
  context.addIssue({ code: "custom", message: "should be a number of proxies, or networks such as 10.0.0.0/8,::1" });
  return z.NEVER;
});

const PROXIES_HELP =
  "should be <host>=<proxy>, several separated by commas, such as api.messenger.example=socks5://user:password@10.0.0.5:1080";
/** Proxies by host, as `<host>=<proxy>` pairs. */
export const hostProxies = z.string().transform((value, context) => {
  const proxies = value.split(",").map((item) => {
    const [, host = "", url = ""] = /^\s*([^=\s]+)=(\S+)\s*$/.exec(item) ?? [];
    return { host: host.toLowerCase(), url };
  });
  const isHost = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/;
  const isProxy = (url: string) => /^(http|https|socks5):\/\/[^/?#]+\/?$/.test(url) && URL.canParse(url);
  if (proxies.every(({ host, url }) => isHost.test(host) && isProxy(url))) return proxies;
  context.addIssue({ code: "custom", message: PROXIES_HELP });
  return z.NEVER;
});

export const link = z
  .url("should be an address such as https://vendor.example/help or mailto:help@vendor.example")
  .refine((url) => /^(https?|mailto):/i.test(url), "should begin with https: or mailto:");

export const bucketUrl = z
  .string()
  .transform((v) => v.replace(/(?<!\/)\/+$/, ""))
  .refine((v) => /^https?:\/\/[^/@?#\s]+(\/[\w.-]+)*$/.test(v) && URL.canParse(v), {
    message: "should be the address of a bucket such as https://s3.example.com/bucket, with no user name in it",
  });

/** Signing key in the format of Standard Webhooks. */
export const webhookSecret = z.string().transform((value, context) => {
  const [, text = ""] = /^whsec_([A-Za-z\d+/]+={0,2})$/.exec(value) ?? [];
  const key = Buffer.from(text, "base64");
  if (key.length >= 24 && key.length <= 64) return key;
  context.addIssue({
    code: "custom",
    message: 'should be whsec_ and 24 to 64 bytes in base64; make one with: echo "whsec_$(openssl rand -base64 32)"',
  });
  return z.NEVER;
});
