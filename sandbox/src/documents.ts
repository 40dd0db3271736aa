import { moduleContract, servedContract } from "./crm/contract.ts";
import { CRM_EXTRAS } from "./crm/extras.ts";
import { loadSpec, type Spec } from "./spec.ts";

export type Side = "crm" | "gateway" | "bot" | "webhook" | "callback" | "socket";

/** A document of the contract, and the sides of its calls and of its webhooks. */
export interface Document {
  name: string;
  spec: Spec;
  side: Side;
  hooks: Side;
}

export const contractDocuments = (): Document[] => [
  { name: "crm", spec: moduleContract(), side: "crm", hooks: "callback" },
  { name: "crm-extras", spec: CRM_EXTRAS, side: "crm", hooks: "callback" },
  ...servedContract().map(([name, spec]): Document => ({ name, spec, side: "crm", hooks: "callback" })),
  { name: "gateway", spec: loadSpec("transport-api.openapi.json"), side: "gateway", hooks: "webhook" },
  { name: "bot", spec: loadSpec("bot-api.openapi.json"), side: "bot", hooks: "webhook" },
];
