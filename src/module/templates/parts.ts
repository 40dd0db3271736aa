import type { Channel } from "../../domain/channel.ts";
import { Creating, createActOnTemplate } from "../../relay/accept/templates.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { createTemplateSync, type TemplateSyncParts } from "./templates.ts";

type Parts = Omit<TemplateSyncParts, "creating" | "sessions"> & { store: Store; sessions: Sessions };

/** Creates template sync and agents' actions on templates, which share the set of templates being created. */
export function createTemplates({ gatewayOf, ...base }: Parts) {
  const shared = { ...base, creating: new Creating() };
  const sync = createTemplateSync({ ...shared, gatewayOf });
  const changed = ({ id }: Channel) => sync.ask(id);
  return { sync, changed, act: createActOnTemplate({ ...shared, changed }) };
}
