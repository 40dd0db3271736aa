import type { Credentials } from "./wire.ts";

/** Required scopes, and their equivalents in keys older than scopes. */
const SCOPES = ["integration_read", "integration_write"];
/** Every right that the module uses: it also reads the account's language and notifies its users. */
export const WANTED_SCOPES = [...SCOPES, "settings_read", "notification_write"];
const oldRights = (code: string) => [`/api/integration-modules/${code}`, `/api/integration-modules/${code}/edit`];

/** The scopes this key lacks, by the CRM's names. */
export function missingRights({ scopes = [], credentials = [] }: Credentials, code: string): string[] {
  if (scopes.length > 0) return SCOPES.filter((right) => !scopes.includes(right));
  const given = credentials.map((path) => path.replace("{code}", code));
  return oldRights(code).every((path) => given.includes(path)) ? [] : SCOPES;
}

export const supportsVersion5 = (versions: string[]): boolean => versions.some((version) => /^5(\.|$)/.test(version));
