import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { describeProof } from "gangway-messenger/kit/proof";
import { sendMessage } from "gangway-messenger/kit/sending";
import { describe, expect, it } from "vitest";
import { channelContext } from "../../support/channel-context.ts";
import { bottles, lighthouse, shoreOf } from "./toy/bottles.ts";
import { harbour, SEAL, sealOf } from "./toy/harbour.ts";

const FOUND = { id: "b1", from: "Robin", text: "ahoy" };
const bottle = (doorUrl: string, body: unknown, secret?: string) =>
  new Request(doorUrl, { method: "POST", body: JSON.stringify(body), headers: secret ? { "x-tide": secret } : {} });

describe.each([bottles, lighthouse])("$title", (adapter) =>
  describeChannel({
    adapter,
    settings: {},
    genuine:
      async (_, { doorUrl }) =>
      () =>
        bottle(doorUrl, FOUND, "tide"),
    forged: ({ doorUrl }) => [bottle(doorUrl, FOUND), bottle(doorUrl, FOUND, "ebb")],
    broken: async (_, { doorUrl }) => [bottle(doorUrl, {}, "tide"), bottle(doorUrl, "x", "tide")],
    samples: {
      "a bottle": {
        request: async (_, { doorUrl }) => bottle(doorUrl, FOUND, "tide"),
        event: { type: "message", content: { type: "text", text: "ahoy" }, customer: { nickname: "Robin" } },
      },
    },
  }),
);

const BATCH = { berths: [{ berth: "1", letters: [{ id: "l1", from: "Robin", text: "ahoy" }] }] };
const sealed = (doorUrl: string, body: unknown, secret: string) => {
  const text = JSON.stringify(body);
  return new Request(doorUrl, { method: "POST", body: text, headers: { [SEAL]: sealOf(secret, text) } });
};

describeChannel({
  adapter: harbour,
  settings: { secret: "own" },
  genuine:
    async (_, { doorUrl }) =>
    () =>
      sealed(doorUrl, BATCH, "own"),
  forged: ({ doorUrl }) => [sealed(doorUrl, BATCH, ""), sealed(doorUrl, BATCH, "other")],
  broken: async (_, { doorUrl }) => [sealed(doorUrl, {}, "own"), sealed(doorUrl, "x", "own")],
});

describeProof({
  adapter: bottles,
  settings: {},
  shown: new URL("./toy/shown.ts", import.meta.url),
  async stage() {
    const shore = randomUUID();
    const { context, atGateway } = await channelContext<unknown>(bottles.settings.parse({ shore }));
    const session = bottles.open(context);
    return {
      session,
      atGateway,
      chat: "Robin" as ChatId,
      seen: async () =>
        shoreOf(shore).bottles.map(({ id, text, gone }) => ({
          id: id as MessengerMessageId,
          text,
          files: [],
          buttons: [],
          quotes: false,
          edited: false,
          deleted: gone,
        })),
      customer: {
        says: async () =>
          (await session.receive(bottle(context.doorUrl, { id: randomUUID(), from: "Robin", text: "ahoy" }, "tide")))
            .events,
      },
    };
  },
});

it("a messenger made after the guide takes a long text in pieces, and says what it cannot", async () => {
  const shore = randomUUID();
  const { context } = await channelContext<unknown>(bottles.settings.parse({ shore }));
  const session = bottles.open(context);
  const speaker = { adapter: bottles, settings: { shore }, session };
  const text = "one two three four five six seven eight nine ten eleven twelve";
  const signal = new AbortController().signal;
  const chat = "Robin" as ChatId;
  await sendMessage(speaker, { chat, content: { type: "text", text } }, "k", signal);
  expect(
    shoreOf(shore)
      .bottles.map((each) => each.text)
      .join(" "),
  ).toBe(text);
  const silence = sendMessage(speaker, { chat, content: { type: "text", text: "" } }, "k2", signal);
  await expect(silence).rejects.toBeInstanceOf(DeliveryError);
});

it("the guide names every part of the port that an adapter has", () => {
  const guide = readFileSync(new URL("../../../packages/messenger/README.md", import.meta.url), "utf8");
  const port = readFileSync(new URL("../../../packages/messenger/src/port.ts", import.meta.url), "utf8");
  const adapter = /export interface ChannelAdapter[\s\S]*?\n}/.exec(port)?.[0] ?? "";
  const session = /export interface ChannelSession[\s\S]*?\n}/.exec(port)?.[0] ?? "";
  const hosted = readFileSync(new URL("../../../packages/messenger/src/hosted.ts", import.meta.url), "utf8");
  const ofHosted = (hosted.match(/export interface Hosted[\s\S]*?\n}/g) ?? []).join();
  const names = [...(adapter + session + ofHosted).matchAll(/^ {2}(\w+)\??[(:]/gm)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(25);
  expect(names.filter((name) => !new RegExp(`\`${name}[\`:]`).test(guide))).toEqual([]);
});
