import { randomUUID } from "node:crypto";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { describeProof } from "gangway-messenger/kit/proof";
import { channelContext } from "../../support/channel-context.ts";
import { letters, officeOf } from "./toy/letters.ts";

const FOUND = { id: "l1", from: "Robin", text: "ahoy" };
const letter = (doorUrl: string, body: unknown, seal?: string) =>
  new Request(doorUrl, { method: "POST", body: JSON.stringify(body), headers: seal ? { "x-seal": seal } : {} });

describeChannel({
  adapter: letters,
  settings: {},
  genuine:
    async (_, { doorUrl }) =>
    () =>
      letter(doorUrl, FOUND, "wax"),
  forged: ({ doorUrl }) => [letter(doorUrl, FOUND), letter(doorUrl, FOUND, "glue")],
  broken: async (_, { doorUrl }) => [letter(doorUrl, {}, "wax"), letter(doorUrl, { reviewed: "x" }, "wax")],
});

describeProof({
  adapter: letters,
  settings: {},
  shown: new URL("./toy/shown-letters.ts", import.meta.url),
  async stage() {
    const name = randomUUID();
    const office = officeOf(name);
    const { context, atGateway } = await channelContext<unknown>(letters.settings.parse({ office: name }));
    const session = letters.open(context);
    const review = (code: string, change: object) => Object.assign(office.templates.get(code) ?? {}, change);
    return {
      ...{ session, atGateway, chat: "Robin" as ChatId },
      seen: async () =>
        office.letters.map(({ id, text, edited, gone }) => ({
          ...{ id: id as MessengerMessageId, text, edited, deleted: gone },
          ...{ files: [], buttons: [], quotes: false },
        })),
      customer: {
        says: async () =>
          (await session.receive(letter(context.doorUrl, { id: randomUUID(), from: "Robin", text: "ahoy" }, "wax")))
            .events,
      },
      reviewers: {
        approve: async (code) => void review(code, { status: "approved" }),
        reject: async (code, rejection) => void review(code, { status: "rejected", rejection }),
      },
    };
  },
});
