import type { Config } from "../config.ts";
import { missingProxies } from "../domain/proxies.ts";
import type { Finding } from "./remedies.ts";

/** Whether it is said through whom the world comes; empty where that is so. */
export function proxiesFinding({ publicUrl, trustedProxies }: Config): Finding[] {
  const unsaid = missingProxies(publicUrl, trustedProxies);
  return unsaid ? [{ state: "warn", about: "TRUSTED_PROXIES", ...unsaid }] : [];
}
