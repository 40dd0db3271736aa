import type { Sample } from "gangway-messenger/kit/contract";

/** Webhooks as the network sends them, and the event that each brings (write me: recorded, not made up). */
export const samples: Record<string, { body: object; event: Sample["event"] }> = {
  "a text": {
    body: { id: "1", from: "Robin", text: "hello" },
    event: { type: "message", content: { type: "text", text: "hello" }, customer: { nickname: "Robin" } },
  },
};
