import { DeliveryError } from "gangway-messenger/errors";
import { fingerprint } from "gangway-messenger/ids";
import type { Templates } from "gangway-messenger/port";
import type { Template } from "gangway-messenger/template";
import type { GatewayChannelId } from "../../domain/ids.ts";
import { difference, type ListedTemplate, type TemplateCalls } from "../../gateway/webhook.ts";

/** The messenger's list is the truth; one run makes the gateway's like it. */
export interface SyncParts {
  channel: GatewayChannelId;
  messenger: Templates;
  gateway: TemplateCalls;
  /** Digests of the templates last written, by code. */
  written: Record<string, string>;
  /** Resolves when no agent's template is being created. */
  settled(): Promise<void>;
  /** Made a moment ago for an agent: the answer to the gateway brings it there. */
  isNew(code: string): boolean;
}
export interface Synced {
  templates: Template[];
  written: Record<string, string>;
  /** What the gateway refused, by code. */
  refused: { code: string; error: string }[];
  /** Some were too new to judge: another run should follow. */
  isEarly: boolean;
}

/** Goes on after a refusal of one template. Throws DeliveryError when the other side is away: a later run does the rest. */
export async function syncTemplates(parts: SyncParts, signal: AbortSignal): Promise<Synced> {
  await parts.settled();
  const templates = unique(await parts.messenger.list(signal));
  const listed = new Map((await parts.gateway.list(parts.channel, signal)).map((each) => [each.code, each]));
  const synced: Synced = { templates: [...templates.values()], written: {}, refused: [], isEarly: false };
  const attempt = async (code: string, act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.verdict.type !== "reject") throw error;
      // Tried again in the next run, so that the page goes on naming it.
      delete synced.written[code];
      synced.refused.push({ code, error: error.message });
    }
  };
  for (const template of templates.values())
    await attempt(template.code, () => bring(parts, template, listed.get(template.code), synced, signal));
  for (const code of listed.keys()) {
    if (templates.has(code)) continue;
    if (parts.isNew(code)) synced.isEarly = true;
    else await attempt(code, () => parts.gateway.delete(parts.channel, code, signal));
  }
  return synced;
}

const unique = (templates: Template[]) => new Map(templates.map((template) => [template.code, template]));

async function bring(
  parts: SyncParts,
  template: Template,
  listed: ListedTemplate | undefined,
  synced: Synced,
  signal: AbortSignal,
): Promise<void> {
  const { channel, gateway } = parts;
  const { code } = template;
  if (!listed) {
    // An agent's template may have been made while this ran.
    await parts.settled();
    if (parts.isNew(code)) synced.isEarly = true;
    else await gateway.create(channel, template, signal);
    return;
  }
  const differs = difference(listed, template);
  if (differs === "none") return;
  // Even if the gateway normalizes our template, it is not written the same twice.
  const digest = digestOf([template, listed]);
  synced.written[code] = digest;
  if (parts.written[code] === digest) return;
  if (differs === "words") return gateway.update(channel, template, signal);
  await gateway.delete(channel, code, signal);
  await gateway.create(channel, template, signal);
}

const digestOf = (both: unknown) => fingerprint(JSON.stringify(both)).slice(0, 16);
