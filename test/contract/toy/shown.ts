import type { Shown } from "../../../src/domain/channel.ts";

/** Written by the contract kit (`npm run prove`): what this adapter has shown to work. Not to be edited by hand. */
export const shown: Shown = {
  actions: {
    text: {
      creating: "both",
      deleting: "outbound",
    },
    product: {
      creating: "outbound",
      deleting: "outbound",
    },
    order: {
      creating: "outbound",
      deleting: "outbound",
    },
  },
  suggestions: {},
  delivered: "none",
  read: "none",
};
