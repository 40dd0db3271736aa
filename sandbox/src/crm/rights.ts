import { Refusal } from "../refusal.ts";
import type { Key } from "../world.ts";

/** Rights that the sandbox checks. */
export const SCOPES = [
  "integration_read",
  "integration_write",
  "customer_read",
  "customer_write",
  "order_read",
  "user_read",
  "user_write",
  "store_read",
  "store_write",
  "reference_read",
  "reference_write",
  "task_read",
  "task_write",
  "custom_fields_read",
  "custom_fields_write",
  "settings_read",
  "notification_write",
] as const;
/** The key of a new world; it has every right. */
export const SANDBOX_KEY = "sandbox-key";
/** Legacy rights are paths; a key may hold them beside scopes. */
export const OLD_PATHS = ["/api/integration-modules/{code}", "/api/integration-modules/{code}/edit"] as const;

/** No source names the scopes of calls beyond the module contract; these are guessed from the scopes' names. */
const NEEDED: [RegExp, string][] = [
  [/^\/api\/v5\/integration-modules\//, "integration"],
  [/^\/api\/v5\/customers/, "customer"],
  [/^\/api\/v5\/orders/, "order"],
  [/^\/api\/v5\/users/, "user"],
  [/^\/api\/v5\/store\//, "store"],
  [/^\/api\/v5\/reference\//, "reference"],
  [/^\/api\/v5\/custom-fields/, "custom_fields"],
  [/^\/api\/v5\/tasks/, "task"],
  [/^\/api\/v5\/settings/, "settings"],
  [/^\/api\/v5\/notifications\//, "notification"],
];

/** Passes by scope or by a legacy right's path. */
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
