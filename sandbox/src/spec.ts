import { readFileSync } from "node:fs";

export type Json = Record<string, unknown>;
export interface Spec {
  paths: Record<string, Record<string, Json>>;
  webhooks?: Record<string, Record<string, Json>>;
  components: { responses?: Record<string, Json>; schemas?: Record<string, Json> };
}

export const loadSpec = <T = Spec>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../contract/${name}`, import.meta.url), "utf8"));
