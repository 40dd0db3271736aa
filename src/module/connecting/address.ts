export interface AddressRules {
  /** `*.example.com` matches exactly one label. */
  hosts: string[];
  /** Sandbox mode: also allows http and any port on this machine. */
  sandbox: boolean;
}
export type Address = { ok: true; origin: string } | { ok: false; fault: "address-form" | "address-host" };

const MAX_LENGTH = 255;
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** Whether a typed address includes a scheme. */
export const hasScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** The origin of a typed or pasted CRM address; ignores the path. */
export function readAddress(typed: string, rules: AddressRules): Address {
  const text = typed.trim().replace(/(?<!\/)\/+$/, "");
  const full = hasScheme(text) ? text : `https://${text}`;
  if (!text || full.length > MAX_LENGTH || !URL.canParse(full)) return { ok: false, fault: "address-form" };
  const url = new URL(full);
  if (url.username || url.password) return { ok: false, fault: "address-form" };
  if (rules.sandbox && LOOPBACK.includes(url.hostname) && /^https?:$/.test(url.protocol))
    return { ok: true, origin: url.origin };
  if (url.protocol !== "https:" || url.port || !url.hostname.includes(".")) return { ok: false, fault: "address-form" };
  return rules.hosts.some((pattern) => matches(url.hostname, pattern))
    ? { ok: true, origin: url.origin }
    : { ok: false, fault: "address-host" };
}

function matches(host: string, pattern: string): boolean {
  if (!pattern.startsWith("*.")) return host === pattern;
  const [label = "", ...rest] = host.split(".");
  // URL hosts may contain characters such as `*` and `;`, which other places parse as syntax.
  return /^[a-z0-9-]+$/.test(label) && rest.join(".") === pattern.slice(2);
}
