import { describeChannel } from "../../../test/contract/channel.ts";
import { acme } from "./index.ts";

const PROOF = "x-acme-secret";
const SECRET = "s".repeat(32);
/** A message as the network sends it (write me: recorded, not made up). */
const MESSAGE = { id: "1", from: "Robin", text: "hello" };

const request = (doorUrl: string, body: string, secret?: string) =>
  new Request(doorUrl, { method: "POST", body, headers: secret ? { [PROOF]: secret } : {} });

describeChannel({
  adapter: acme,
  settings: { token: "12345678", webhookSecret: SECRET },
  genuine:
    async (_, { doorUrl }) =>
    () =>
      request(doorUrl, JSON.stringify(MESSAGE), SECRET),
  forged: ({ doorUrl }) => [
    request(doorUrl, JSON.stringify(MESSAGE)),
    request(doorUrl, JSON.stringify(MESSAGE), "wrong"),
  ],
  broken: async (_, { doorUrl }) => [request(doorUrl, "{}", SECRET), request(doorUrl, "no json", SECRET)],
  samples: {
    "a text": {
      request: async (_, { doorUrl }) => request(doorUrl, JSON.stringify(MESSAGE), SECRET),
      event: { type: "message", content: { type: "text", text: "hello" }, customer: { nickname: "Robin" } },
    },
  },
});
