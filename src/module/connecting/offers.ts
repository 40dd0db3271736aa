import { isHosted } from "gangway-messenger/hosted";
import type { ChannelAdapter } from "gangway-messenger/port";
import { hasTemplates } from "../templates/templates.ts";
import type { Offers } from "./connect.ts";

/** What the CRM may call for. */
export const offersOf = (adapters: ChannelAdapter[]): Offers => ({
  templates: adapters.some(hasTemplates),
  siteVisits: adapters.some((adapter) => isHosted(adapter) && adapter.siteVisits),
});
