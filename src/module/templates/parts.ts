import type { Channel } from "../../domain/channel.ts";
import { Creating, createActOnTemplate } from "../../relay/accept/templates.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { createTemplateSync, type TemplateSyncParts } from "./templates.ts";

type Parts = Omit<TemplateSyncParts, "creating" | "sessions"> & { store: Store; sessions: Sessions };

/** The synchronisation of templates, and the agents' acts on them, which share what is under way. */
export function createTemplates({ gatewayOf, ...base }: Parts) {
  const shared = { ...base, creating: new Creating() };
  const sync = createTemplateSync({ ...shared, gatewayOf });
  const changed = ({ id }: Channel) => sync.ask(id);
  return { sync, changed, act: createActOnTemplate({ ...shared, changed }) };
}
