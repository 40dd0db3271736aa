import { DeliveryError } from "../domain/delivery/delivery.ts";
import type { GatewayChannelId } from "../domain/ids.ts";
import type { Template } from "../domain/message/template.ts";
import type { Operation } from "./refusals.ts";
import type { Request } from "./sending.ts";
import { toNewTemplate, toTemplateChange } from "./templates.ts";
import { listedTemplate, type WireTemplate } from "./wire.ts";

/** Templates at the gateway. Every method throws DeliveryError. */
export interface TemplateCalls {
  /** Those of a channel that have a code; one that cannot be read is left out. */
  list(channel: GatewayChannelId, signal: AbortSignal): Promise<ListedTemplate[]>;
  create(channel: GatewayChannelId, template: Template, signal: AbortSignal): Promise<void>;
  update(channel: GatewayChannelId, template: Template, signal: AbortSignal): Promise<void>;
  /** A missing one counts as deleted. */
  delete(channel: GatewayChannelId, code: string, signal: AbortSignal): Promise<void>;
}
/** `difference` (templates.ts) compares it. */
export type ListedTemplate = WireTemplate;

interface Parts {
  list(request: Request, signal: AbortSignal): Promise<unknown[]>;
  json(operation: Operation, method: "POST" | "PUT", path: string, body: unknown): Request;
  done(request: Request, signal: AbortSignal, orMissing?: "or missing"): Promise<void>;
}

/** The gateway lists the templates of all channels at once, without pages. */
const LIST_BYTES = 32 * 1024 * 1024;
const LIST_MS = 60_000;

export function templateCalls({ list, json, done }: Parts): TemplateCalls {
  return {
    async list(channel, signal) {
      const request: Request = { operation: "getTemplates", method: "GET", path: "/templates", priority: "bulk" };
      const found = await list({ ...request, timeoutMs: LIST_MS, maxBytes: LIST_BYTES }, signal);
      return found.flatMap((each) => {
        const { data } = listedTemplate.safeParse(each);
        return data?.channel_id === channel ? [data] : [];
      });
    },
    create: async (channel, template, signal) =>
      done(json("activateTemplate", "POST", `/channels/${channel}/templates`, toNewTemplate(template)), signal),
    update: async (channel, template, signal) =>
      done(json("updateTemplate", "PUT", pathOf(channel, template.code), toTemplateChange(template)), signal),
    delete: async (channel, code, signal) =>
      done(
        { operation: "deactivateTemplate", method: "DELETE", path: pathOf(channel, code), priority: "bulk" },
        signal,
        "or missing",
      ),
  };
}

/** A code may hold `#` and slashes. As a whole segment, dots would name the channel itself. */
function pathOf(channel: GatewayChannelId, code: string): string {
  if (/^\.{1,2}$/.test(code))
    throw new DeliveryError({ type: "reject", code: "general" }, "the template's code is no part of an address");
  return `/channels/${channel}/templates/${encodeURIComponent(code)}`;
}
