import type { Sample } from "gangway-messenger/kit/contract";

const FROM = { id: "robin", name: "Robin" };

/** Webhooks as the network sends them, and the event that each brings. */
export const samples: Record<string, { body: object; event: Sample["event"] }> = {
  "a text": {
    body: { id: "1", at: 1_764_000_000_000, from: FROM, text: "hello" },
    event: { type: "message", content: { type: "text", text: "hello" }, customer: { nickname: "Robin" } },
  },
  "a person without a name": {
    body: { id: "2", at: 1_764_000_000_000, from: { id: "robin", name: null }, text: "hello" },
    event: { type: "message", customer: { nickname: "robin" } },
  },
  "what is no text": {
    body: { id: "3", at: 1_764_000_000_000, from: FROM, kind: "melody" },
    event: { type: "message", content: { type: "text", text: "[melody]" } },
  },
};
