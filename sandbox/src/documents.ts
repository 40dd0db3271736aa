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

/** Older clients announce reactions as `any`, a value that the generated contract lacks. */
export const withAny = <T = Spec>(spec: T): T =>
  JSON.parse(JSON.stringify(spec).replaceAll(REACTION, '"reaction":{"anyOf":[$1,{"const":"any"}]}'));
const REACTION = /"reaction":(\{"\$ref":"[^"]*\/ChannelFeature"\})/g;

export const contractDocuments = (): Document[] => [
  { name: "crm", spec: moduleContract(), side: "crm", hooks: "callback" },
  { name: "crm-extras", spec: CRM_EXTRAS, side: "crm", hooks: "callback" },
  ...servedContract().map(([name, spec]): Document => ({ name, spec, side: "crm", hooks: "callback" })),
  { name: "gateway", spec: withAny(loadSpec("transport-api.openapi.json")), side: "gateway", hooks: "webhook" },
  { name: "bot", spec: withAny(loadSpec("bot-api.openapi.json")), side: "bot", hooks: "webhook" },
];
