import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { describeProof } from "gangway-messenger/kit/proof";
import { createEmulator } from "../emulator/emulator.ts";
import { samples } from "../samples/samples.ts";
import { PROOF } from "../src/inbound.ts";
import acme from "../src/index.ts";

const SECRET = "s".repeat(32);
/** The emulator's customer, by the adapter's name of the chat (write me). */
const CUSTOMER = "robin" as ChatId;

const { settings, open } = besideEmulator(acme, createEmulator, { webhookSecret: SECRET });

/** The proof of a webhook with this body: a secret, or its signature (write me). */
const proofOf = (_body: string) => SECRET;
const webhook = (doorUrl: string, body: string, proof = proofOf(body)) =>
  new Request(doorUrl, { method: "POST", body, headers: proof ? { [PROOF]: proof } : {} });
const hello = JSON.stringify(samples["a text"]?.body);

describeChannel({
  adapter: acme,
  settings,
  chat: CUSTOMER,
  makeContext: open,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      webhook(doorUrl, hello),
  forged: ({ doorUrl }) => [webhook(doorUrl, hello, ""), webhook(doorUrl, hello, "wrong")],
  broken: async (_, { doorUrl }) => ["", "no json", "[]", "null", "{}"].map((body) => webhook(doorUrl, body)),
  samples: Object.fromEntries(
    Object.entries(samples).map(([name, { body, event }]) => [
      name,
      { request: async (_, { doorUrl }) => webhook(doorUrl, JSON.stringify(body)), event },
    ]),
  ),
});

describeProof({
  adapter: acme,
  settings,
  shown: new URL("../src/shown.ts", import.meta.url),
  async stage() {
    const { emulator, session, atGateway, after } = await open();
    await session.connect(new AbortController().signal);
    return {
      session,
      atGateway,
      chat: CUSTOMER,
      seen: async () =>
        emulator.messages.map(({ id, text, deleted = false }) => ({
          id: id as MessengerMessageId,
          text,
          files: [],
          buttons: [],
          quotes: false,
          edited: false,
          deleted,
        })),
      customer: { says: (kind) => after(async () => kind === "text" && emulator.says("hello")) },
    };
  },
});
