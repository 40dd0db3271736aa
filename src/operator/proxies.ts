import type { Config } from "../config.ts";
import { missingProxies } from "../domain/proxies.ts";
import type { Finding } from "./remedies.ts";

/** A warning when TRUSTED_PROXIES should be set but is not. */
export function proxiesFinding({ publicUrl, trustedProxies }: Config): Finding[] {
  const missing = missingProxies(publicUrl, trustedProxies);
  return missing ? [{ state: "warn", about: "TRUSTED_PROXIES", ...missing }] : [];
}
