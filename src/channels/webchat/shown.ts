import type { Shown } from "../../domain/channel.ts";

/** Written by the contract kit (`npm run prove`): what this adapter has shown to work. Not to be edited by hand. */
export const shown: Shown = {
  actions: {
    text: {
      creating: "both",
      editing: "outbound",
      quoting: "both",
      deleting: "outbound",
    },
    image: {
      creating: "both",
      editing: "outbound",
      quoting: "both",
      deleting: "outbound",
    },
    file: {
      creating: "both",
      editing: "outbound",
      quoting: "both",
      deleting: "outbound",
    },
    audio: {
      creating: "outbound",
      quoting: "outbound",
      deleting: "outbound",
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
  delivered: "both",
  read: "both",
};
