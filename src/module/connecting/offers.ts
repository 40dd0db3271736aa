import { isHosted } from "gangway-messenger/hosted";
import type { ChannelAdapter } from "gangway-messenger/port";
import { hasTemplates } from "../templates/templates.ts";
import type { OfferedCallbacks } from "./connect.ts";

/** Which callbacks the configured messengers support. */
export const offersOf = (adapters: ChannelAdapter[]): OfferedCallbacks => ({
  templates: adapters.some(hasTemplates),
  siteVisits: adapters.some((adapter) => isHosted(adapter) && adapter.siteVisits),
});
