import { Refusal } from "../refusal.ts";
import type { Key } from "../world.ts";

/** Rights that a key may have, as far as the sandbox asks for them. */
export const SCOPES = [
  "integration_read",
  "integration_write",
  "customer_read",
  "customer_write",
  "order_read",
  "user_read",
  "user_write",
  "store_read",
  "settings_read",
  "notification_write",
] as const;
/** Rights of the old sort are paths; a key may have them beside scopes. */
export const OLD_PATHS = ["/api/integration-modules/{code}", "/api/integration-modules/{code}/edit"] as const;

/** Which scope the calls beyond the module contract need is the sandbox's guess from the scopes' names. */
const NEEDED: [RegExp, string][] = [
  [/^\/api\/v5\/integration-modules\//, "integration"],
  [/^\/api\/v5\/customers/, "customer"],
  [/^\/api\/v5\/orders/, "order"],
  [/^\/api\/v5\/users/, "user"],
  [/^\/api\/v5\/store\//, "store"],
  [/^\/api\/v5\/settings/, "settings"],
  [/^\/api\/v5\/notifications\//, "notification"],
];

/** By scope, or by the path of a right of the old sort. */
export function checkRights(key: Key, method: string, path: string): void {
  const area = NEEDED.find(([pattern]) => pattern.test(path))?.[1];
  if (!area) return;
  const scope = `${area}_${method === "GET" ? "read" : "write"}`;
  if (key.scopes.includes(scope)) return;
  const [, code = "", rest = ""] = /^\/api\/v5\/integration-modules\/([^/]+)(.*)$/.exec(path) ?? [];
  const old = [`/api/integration-modules/{code}${rest}`, `/api/integration-modules/${code}${rest}`];
  if (code && old.some((each) => key.credentials.includes(each))) return;
  throw new Refusal(403, "Access denied.", `the key has ${scope}`);
}
