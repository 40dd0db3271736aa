import type { ChatId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import { erasableNotes } from "../../../../src/messengers.ts";
import { byUser } from "../../../../src/store/care.ts";
import { readRows } from "../../../../test/support/engine.ts";
import { agentSays } from "../../../../test/support/events.ts";
import { roomFor } from "../../../../test/support/room.ts";
import { oneChannel, takeLease } from "../../../../test/support/store.ts";
import { about, message, ROBIN, status } from "../../samples/wire.ts";
import whatsapp from "../../src/index.ts";
import { callbackData } from "../../src/reading/statuses.ts";
import { staged } from "../unit/stage.ts";

const synced = (contact: object) =>
  about({ state_sync: [{ type: "contact", contact, action: "add" }] }, "smb_app_state_sync");

it("of an erased customer stays neither id nor name, nor a message by its key", async () => {
  const { receive, context } = await staged();
  const { store, account, channel, folder } = await oneChannel({
    kind: "whatsapp",
    erasableNotes: erasableNotes(whatsapp),
  });
  const accept = async (body: object) => {
    const { events, notes } = await receive(body);
    await store.outbox.acceptInbound(channel, { events, notes });
    return events;
  };
  await accept(synced({ full_name: "Robin of the Quay", phone_number: ROBIN.phone }));
  await accept(synced({ full_name: "Wren", phone_number: "34600000000" }));
  const [event] = await accept(message({ type: "text", text: { body: "hello" } }));
  const chat = event?.chat as ChatId;
  await store.outbox.acceptOutbound(channel, { key: "o-1", act: agentSays("1", "hello", chat), patienceMs: 1_000 });
  const lease = await takeLease(store, account.id, "test");
  const [job] = (await store.outbox.claim(lease, roomFor(9))).filter(({ direction }) => direction === "outbound");
  if (!job) return expect.fail("nothing to send");
  await accept(status("sent", { biz_opaque_callback_data: callbackData(context.channelId, job.key) }));
  const noted = async () => (await readRows(folder, ["note"])).note?.map(({ key }) => key).sort();
  const theirs = [
    `accepted:${job.key}`,
    `book:${ROBIN.phone}`,
    `chat:${ROBIN.phone}`,
    `to:${ROBIN.userId}`,
    `window:${ROBIN.userId}`,
  ];
  expect(chat).toBe(ROBIN.userId);
  expect(await noted()).toEqual([...theirs, "book:34600000000"].sort());
  await store.erasure.customer(account.id, { channelId: channel.id, chat }, byUser("customer erased"));
  expect(await noted()).toEqual(["book:34600000000"]);
});
