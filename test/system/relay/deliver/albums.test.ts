import type { MessengerMessageId } from "gangway-messenger/ids";
import type { AlbumWords, ChannelEvent } from "gangway-messenger/message";
import { expect, it } from "vitest";
import { customerSays } from "../../../support/events.ts";
import { answer, recordingGateway } from "../../../support/gateway.ts";
import { relayLives } from "../../../support/lives.ts";
import { bottles } from "../../contract/toy/bottles.ts";

const part = (id: string): ChannelEvent => ({
  ...(customerSays(id) as Extract<ChannelEvent, { type: "message" }>),
  ...{ messengerMessageId: id as MessengerMessageId, album: "a" },
  content: { type: "text", text: id },
});

function edited(id: string, captions: string[], head = ""): ChannelEvent {
  const marked = (text: string) => ({ text, marks: [] });
  const album: AlbumWords = {
    head,
    captions: captions.map((each) => ({
      messengerMessageId: each.replace("!", "") as MessengerMessageId,
      ...marked(each),
    })),
    otherwise: marked("[Caption removed]"),
  };
  const { chat, at } = customerSays(id);
  const messengerMessageId = id as MessengerMessageId;
  return { type: "edited", key: `e:${captions}`, chat, at, messengerMessageId, text: captions.join("\n"), album };
}

it("an album of which a part came late is two messages at the gateway, and an edit of one leaves the other's words out", async () => {
  const gateway = recordingGateway();
  const edits: unknown[] = [];
  const relay = await relayLives({
    adapter: bottles,
    call: (clock) => {
      const others = gateway.call(clock);
      return async (request) => {
        if (request.method !== "PUT") return others(request);
        const { message } = JSON.parse(String(request.body));
        edits.push([message.external_id, message.text]);
        return answer(200, {});
      };
    },
  });
  await relay.begin();
  const comes = async (...events: ChannelEvent[]) => {
    await relay.store().outbox.acceptInbound(relay.channel, { events });
    relay.wake();
    await relay.clock.forward(3_000);
  };
  await comes(part("1"), part("2"));
  await comes(part("3"));
  expect(gateway.taken.map(({ body }) => body.message)).toMatchObject([{ text: "1\n2" }, { text: "3" }]);
  await comes(edited("2", ["1", "2!", "3"]));
  await comes(edited("3", ["1", "2", "3!"], "> quoted\n"));
  await comes(edited("3", ["1", "2"]));
  expect(edits).toEqual([
    ["1", "1\n2!"],
    ["3", "> quoted\n3!"],
    ["3", "[Caption removed]"],
  ]);
});
