import { createEmulator } from "../../sandbox/src/pager/emulator.ts";
import { pager } from "../../src/channels/pager/index.ts";
import type { ChatId, MessengerMessageId } from "../../src/domain/ids.ts";
import { describeChannel } from "./channel.ts";
import { besideEmulator } from "./emulated.ts";
import { samples } from "./pager/samples.ts";
import { describeProof } from "./proof.ts";

const PROOF = "x-pager-secret";
const SECRET = "s".repeat(32);
/** The emulator's customer. */
const CUSTOMER = "robin" as ChatId;

const { settings, open } = besideEmulator(pager, createEmulator, { webhookSecret: SECRET });

const webhook = (doorUrl: string, body: unknown, secret: string | undefined = SECRET) =>
  new Request(doorUrl, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: secret ? { [PROOF]: secret } : {},
  });
const hello = samples["a text"]?.body;

describeChannel({
  adapter: pager,
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
      { request: async (_, { doorUrl }) => webhook(doorUrl, body), event },
    ]),
  ),
});

describeProof({
  adapter: pager,
  settings,
  shown: new URL("../../src/channels/pager/shown.ts", import.meta.url),
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
