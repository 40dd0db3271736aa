import type { Shown } from "gangway-messenger/features";

/** Written by the contract kit (`npm run prove`): what this adapter has shown to work. Not to be edited by hand. */
export const shown: Shown = {
  actions: {},
  suggestions: {},
  delivered: "none",
  read: "none",
};
