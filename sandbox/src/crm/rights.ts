import type { Operation } from "../judge.ts";
import { Refusal } from "../refusal.ts";
import type { Key } from "../world.ts";

/** Rights that the sandbox checks. */
export const SCOPES = [
  "integration_read",
  "integration_write",
  "customer_read",
  "customer_write",
  "order_read",
  "order_write",
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
  "segment_read",
  "file_read",
  "file_write",
  "delivery_read",
  "delivery_write",
  "settings_read",
  "notification_write",
] as const;
/** The key of a new world; it has every right. */
export const SANDBOX_KEY = "sandbox-key";
/** Legacy rights are paths; a key may hold them beside scopes. */
export const OLD_PATHS = ["/api/integration-modules/{code}", "/api/integration-modules/{code}/edit"] as const;

/** The whole contract names the scopes of its calls; those of the others are guessed from the scopes' names. */
const AREAS: [RegExp, string][] = [
  [/^\/api\/v5\/integration-modules\//, "integration"],
  [/^\/api\/v5\/customers/, "customer"],
  [/^\/api\/v5\/orders/, "order"],
  [/^\/api\/v5\/users/, "user"],
  [/^\/api\/v5\/store\//, "store"],
  [/^\/api\/v5\/settings/, "settings"],
  [/^\/api\/v5\/notifications\//, "notification"],
];

/** Passes by scope or by a legacy right's path. */
export function checkRights(key: Key, { scopes, method }: Operation, path: string): void {
  const missing = (scopes.length > 0 ? scopes : guessed(method, path)).filter((scope) => !key.scopes.includes(scope));
  if (missing.length === 0) return;
  const [, code = "", rest = ""] = /^\/api\/v5\/integration-modules\/([^/]+)(.*)$/.exec(path) ?? [];
  const old = [`/api/integration-modules/{code}${rest}`, `/api/integration-modules/${code}${rest}`];
  if (code && old.some((each) => key.credentials.includes(each))) return;
  throw new Refusal(403, "Access denied.", `the key has ${missing.join(" and ")}`);
}

function guessed(method: string, path: string): string[] {
  const area = AREAS.find(([pattern]) => pattern.test(path))?.[1];
  return area ? [`${area}_${method === "GET" ? "read" : "write"}`] : [];
}
