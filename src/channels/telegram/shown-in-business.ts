import type { Shown } from "../../domain/channel.ts";

/** Written by the contract kit (`npm run prove`): what this adapter has shown to work. Not to be edited by hand. */
export const shown: Shown = {
  actions: {
    text: {
      creating: "both",
      editing: "both",
      quoting: "both",
      deleting: "both",
    },
    image: {
      creating: "both",
      editing: "both",
      quoting: "both",
      deleting: "both",
    },
    file: {
      creating: "both",
      editing: "both",
      quoting: "both",
      deleting: "both",
    },
    audio: {
      creating: "both",
      quoting: "both",
      deleting: "both",
    },
    product: {
      creating: "outbound",
      editing: "outbound",
      quoting: "outbound",
      deleting: "outbound",
    },
    order: {
      creating: "outbound",
      editing: "outbound",
      quoting: "outbound",
      deleting: "outbound",
    },
  },
  suggestions: {
    text: "outbound",
    phone: "outbound",
    email: "outbound",
    url: "outbound",
  },
  delivered: "none",
  read: "none",
};
