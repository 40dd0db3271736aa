import { DeliveryError } from "gangway-messenger/errors";
import { fingerprint } from "gangway-messenger/ids";
import type { Templates } from "gangway-messenger/port";
import type { Template } from "gangway-messenger/template";
import type { GatewayChannelId } from "../../domain/ids.ts";
import { difference, type ListedTemplate, type TemplateCalls } from "../../gateway/webhook.ts";

/** One run makes the gateway's templates match the messenger's list, which is authoritative. */
export interface SyncParts {
  channel: GatewayChannelId;
  messenger: Templates;
  gateway: TemplateCalls;
  /** Digests of the templates last written, by code. */
  written: Record<string, string>;
  /** Resolves when no agent's template is being created any more. */
  settled(): Promise<void>;
  /** Whether an agent has just created the template: the gateway learns of it from our answer, not from the sync. */
  isNew(code: string): boolean;
}
export interface Synced {
  templates: Template[];
  written: Record<string, string>;
  /** What the gateway refused, by code. */
  refused: { code: string; error: string }[];
  /** Some templates were too new to judge: another run should follow. */
  isEarly: boolean;
}

/** Continues after the refusal of one template. Throws DeliveryError if a side is away: a later run resumes. */
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
      // Forget the digest: the next run tries again, so the page keeps showing the error.
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
    // An agent may have created this template during the run.
    await parts.settled();
    if (parts.isNew(code)) synced.isEarly = true;
    else await gateway.create(channel, template, signal);
    return;
  }
  const differs = difference(listed, template);
  if (differs === "none") return;
  // Skip an update already sent: the gateway may store our words differently, so the difference would never end.
  const digest = digestOf([template, listed]);
  synced.written[code] = digest;
  if (parts.written[code] === digest) return;
  if (differs === "words") return gateway.update(channel, template, signal);
  await gateway.delete(channel, code, signal);
  await gateway.create(channel, template, signal);
}

const digestOf = (both: unknown) => fingerprint(JSON.stringify(both)).slice(0, 16);
