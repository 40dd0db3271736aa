import { randomUUID } from "node:crypto";
import type { MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { describeProof } from "gangway-messenger/kit/proof";
import { channelContext } from "../../../test/support/channel-context.ts";
import { CHAT, standIn } from "../src/customer.ts";
import { PROOF } from "../src/inbound.ts";
import demo from "../src/index.ts";
import type { Entry } from "../src/wire.ts";

const KEY = "k".repeat(43);
const settings = { customerKey: KEY };
const said = (doorUrl: string, body: string, key = KEY) =>
  new Request(doorUrl, { method: "POST", body, headers: key ? { [PROOF]: key } : {} });
const { body: hello } = standIn.says("hello");

describeChannel({
  // With the real journal and files.
  makeContext: channelContext,
  adapter: demo,
  settings,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      said(doorUrl, hello),
  forged: ({ doorUrl }) => [said(doorUrl, hello, ""), said(doorUrl, hello, "wrong")],
  broken: async (_, { doorUrl }) => [
    ...["", "no json", "[]", "null", "{}", `{"id":"${randomUUID()}"}`, '{"id":"1","text":"hello"}'].map((body) =>
      said(doorUrl, body),
    ),
    said(doorUrl, standIn.says("   ").body),
    said(doorUrl, standIn.says("x".repeat(standIn.maxLength + 1)).body),
    new Request(doorUrl, { headers: { [PROOF]: KEY } }),
  ],
  samples: {
    "a text": {
      request: async (_, { doorUrl }) => said(doorUrl, hello),
      event: { type: "message", chat: CHAT, originator: "customer", content: { type: "text", text: "hello" } },
    },
    "the longest text": {
      request: async (_, { doorUrl }) => said(doorUrl, standIn.says("🚢".repeat(standIn.maxLength)).body),
      event: { type: "message", customer: { nickname: "Demo customer" } },
    },
  },
});

/** The customer writes as the account's page does, and sees what the page shows. */
describeProof({
  adapter: demo,
  settings,
  shown: new URL("../src/shown.ts", import.meta.url),
  async stage() {
    const { context, commit, atGateway } = await channelContext<unknown>(demo.settings.parse(settings));
    const session = demo.open(context);
    return {
      session,
      atGateway,
      chat: CHAT,
      async seen() {
        const lines = await context.journal.latest(CHAT, { entries: 200, bytes: 1024 ** 2 });
        return lines
          .map(({ entry }) => entry as Entry)
          .map(({ id, text }) => ({
            ...{ id: id as MessengerMessageId, text, files: [], buttons: [] },
            ...{ quotes: false, edited: false, deleted: false },
          }));
      },
      customer: {
        async says(kind) {
          const receipt = await session.receive(
            said(context.doorUrl, standIn.says(kind === "text" ? "hello" : "").body),
          );
          await commit(receipt);
          return receipt.events;
        },
      },
    };
  },
});
