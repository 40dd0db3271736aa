import { isHosted } from "gangway-messenger/hosted";
import type { ChannelAdapter } from "gangway-messenger/port";
import { hasTemplates } from "../templates/templates.ts";
import type { Offers } from "./connect.ts";

/** Which callbacks the configured messengers support. */
export const offersOf = (adapters: ChannelAdapter[]): Offers => ({
  templates: adapters.some(hasTemplates),
  siteVisits: adapters.some((adapter) => isHosted(adapter) && adapter.siteVisits),
});
