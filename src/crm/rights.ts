import type { Credentials } from "./wire.ts";

/** Rights a key needs (scopes), and what stands for them in keys that are older than scopes. */
const SCOPES = ["integration_read", "integration_write"];
const oldRights = (code: string) => [`/api/integration-modules/${code}`, `/api/integration-modules/${code}/edit`];

/** The rights this key lacks, by the CRM's own names. */
export function missingRights({ scopes = [], credentials = [] }: Credentials, code: string): string[] {
  if (scopes.length > 0) return SCOPES.filter((right) => !scopes.includes(right));
  const given = credentials.map((path) => path.replace("{code}", code));
  return oldRights(code).every((path) => given.includes(path)) ? [] : SCOPES;
}

export const supportsVersion5 = (versions: string[]): boolean => versions.some((version) => /^5(\.|$)/.test(version));
