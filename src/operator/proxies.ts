import type { Config } from "../config.ts";
import { unsaidProxies } from "../domain/proxies.ts";
import type { Finding } from "./remedies.ts";

/** A warning when TRUSTED_PROXIES should be set but is not. */
export function proxiesFinding({ publicUrl, trustedProxies }: Config): Finding[] {
  const unsaid = unsaidProxies(publicUrl, trustedProxies);
  return unsaid ? [{ state: "warn", about: "TRUSTED_PROXIES", ...unsaid }] : [];
}
