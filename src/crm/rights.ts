import type { Right, Scope } from "../domain/account.ts";
import type { Credentials } from "./wire.ts";

interface Use extends Pick<Right, "scope" | "required"> {
  /**
   * The equivalent in keys older than scopes. Documented for the module's own calls only; the others follow their
   * pattern.
   */
  oldPath(code: string): string;
}

/** Every right that the module uses: it also reads the account's language and notifies its users. */
const USES: Use[] = [
  { scope: "integration_read", required: true, oldPath: (code) => `/api/integration-modules/${code}` },
  { scope: "integration_write", required: true, oldPath: (code) => `/api/integration-modules/${code}/edit` },
  { scope: "settings_read", required: false, oldPath: () => "/api/settings" },
  { scope: "notification_write", required: false, oldPath: () => "/api/notifications/send" },
];
export const WANTED_SCOPES: Scope[] = USES.map(({ scope }) => scope);

/** Which of these rights a key has. */
export function rightsOf({ scopes = [], credentials = [] }: Credentials, code: string): Right[] {
  const paths = credentials.map((path) => path.replace("{code}", code));
  const has = ({ scope, oldPath }: Use) => (scopes.length > 0 ? scopes.includes(scope) : paths.includes(oldPath(code)));
  return USES.map((use) => ({ scope: use.scope, required: use.required, given: has(use) }));
}

export const supportsVersion5 = (versions: string[]): boolean => versions.some((version) => /^5(\.|$)/.test(version));
