import type { DeliveryError } from "gangway-messenger/errors";
import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { revoke, write } from "../../emulator/acts.ts";
import { addGroup, missCall, shareNumber, writeInGroup } from "../../emulator/beside-messages.ts";
import { about, MERLE, message, ROBIN, status } from "../../samples/wire.ts";
import { fresh, refusalOf, staged } from "../unit/stage.ts";

/** Seconds. */
const NOW = Math.floor(Date.now() / 1000);
const GROUP = "Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAz";
const hello = { type: "text", text: { body: "hello" } };
const customersIn = (events: ChannelEvent[]) =>
  events.flatMap((each) => (each.type === "message" ? each.customer : []));

describe("a group", () => {
  it("is a chat of its own, and the answer goes to the group, with its buttons in words", async () => {
    const { network, chats, after: caused, text, last, session } = await staged();
    await session.connect(fresh());
    const group = addGroup(network, GROUP);
    const events = await caused(() => writeInGroup(network, chats.robin, group, hello));
    expect(events).toMatchObject([{ chat: GROUP, content: { text: expect.stringMatching(/^.+: hello$/) } }]);
    await text(GROUP, "which one?", { suggestions: [{ type: "text", title: "red" }] });
    expect([last().content, chats.robin.messages.filter(({ from }) => from === "business")]).toMatchObject([
      { text: { body: "which one?\n– red" } },
      [],
    ]);
  });

  it("that has read a message is not its members' chat", async () => {
    const { receive } = await staged();
    await receive(message(hello, { group_id: GROUP, timestamp: String(NOW) }));
    const { events } = await receive(status("read", { recipient_id: GROUP, recipient_type: "group" }));
    expect(events).toMatchObject([{ type: "read", chat: GROUP }]);
  });

  it("is left out where the settings say so, and the log names it", async () => {
    const { receive } = await staged({ groups: "off" });
    const { events, unknown } = await receive(message(hello, { group_id: GROUP, timestamp: String(NOW) }));
    expect([events, unknown]).toEqual([[], "a message in a group, which the channel's settings leave out"]);
  });
});

describe("a customer", () => {
  it("keeps the chat when the system names the earlier user id", async () => {
    const { receive } = await staged();
    await receive(message(hello, { from: undefined, from_user_id: MERLE.userId }));
    const now = "MX.99";
    const system = { type: "user_changed_user_id", previous_user_id: MERLE.userId, user_id: now };
    await receive(about({ messages: [{ from_user_id: now, id: "wamid.S1", type: "system", system }] }));
    const next = { from_user_id: now, id: "wamid.IN2", timestamp: String(NOW), ...hello };
    const { events } = await receive(about({ messages: [next] }));
    expect(events).toMatchObject([{ type: "message", chat: MERLE.userId, customer: { id: now } }]);
  });

  it("whose user id stands where the number was has no number", async () => {
    const { receive } = await staged();
    const odd = { from: MERLE.userId, id: "wamid.IN1", timestamp: String(NOW), ...hello };
    const { events } = await receive(about({ contacts: [{ wa_id: MERLE.userId }], messages: [odd] }));
    expect(customersIn(events)).toMatchObject([{ id: MERLE.userId }]);
    expect(customersIn(events)[0]).not.toHaveProperty("phone");
    expect(customersIn(events)[0]).not.toHaveProperty("profileUrl");
  });

  it("keeps the chat when a change of the number names the earlier user id", async () => {
    const { receive } = await staged();
    await receive(message(hello));
    const [phone, userId] = ["34600999888", "ES.99"];
    const system = { type: "user_changed_number", wa_id: phone, previous_user_id: ROBIN.userId };
    await receive(
      about({ messages: [{ from: ROBIN.phone, from_user_id: userId, id: "wamid.S1", type: "system", system }] }),
    );
    const next = { from: phone, from_user_id: userId, id: "wamid.IN2", timestamp: String(NOW), ...hello };
    expect((await receive(about({ messages: [next] }))).events).toMatchObject([{ chat: ROBIN.userId }]);
  });

  it("keeps the name where a webhook has no profile", async () => {
    const { receive } = await staged();
    await receive(message(hello));
    const bare = { from: ROBIN.phone, from_user_id: ROBIN.userId, id: "wamid.IN2", timestamp: String(NOW), ...hello };
    const { events } = await receive(about({ messages: [bare] }));
    expect(customersIn(events)).toMatchObject([{ nickname: "Robin Mar" }]);
  });

  it("whose user id an earlier version took for a number is reached by the id", async () => {
    const { receive, context, text, network } = await staged();
    const [robin] = network.world.customers;
    if (!robin) throw new Error("there is nobody");
    await context.notes.set([{ key: `to:${robin.userId}`, value: JSON.stringify({ phone: robin.userId, old: [] }) }]);
    const { events } = await receive(
      about({ messages: [{ from: robin.userId, id: "wamid.IN2", timestamp: String(NOW), ...hello }] }),
    );
    expect(customersIn(events)[0]?.phone).toBeUndefined();
    await text(robin.userId);
    expect(network.world.messages.size).toBeGreaterThan(0);
  });

  it("gives the number that an agent asks for", async () => {
    const { network, chats, session, after: caused, text, last } = await staged();
    await session.connect(fresh());
    await caused(() => write(network, chats.robin, { text: "hello" }));
    await text(chats.robin.customer.phone, "Your number?", { suggestions: [{ type: "phone", title: "Send it" }] });
    expect(last().content).toMatchObject({
      interactive: { type: "request_contact_info", body: { text: "Your number?" } },
    });
    const events = await caused(() => shareNumber(network, chats.robin, last()));
    expect(customersIn(events)).toMatchObject([{ phone: `+${chats.robin.customer.phone}` }]);
  });

  it("who calls in vain leaves a line with the number", async () => {
    const { network, chats, session, after: caused } = await staged();
    await session.connect(fresh());
    const events = await caused(() => missCall(network, chats.robin));
    const text = `[Missed call. Call back: +${chats.robin.customer.phone}]`;
    expect(events).toMatchObject([{ type: "message", content: { text } }]);
  });

  it("who takes a message back leaves a line to send where the deletion is refused", async () => {
    const { network, chats, number, session, after: caused } = await staged();
    number.isCoexistence = true;
    await session.connect(fresh());
    const said = await write(network, chats.robin, { text: "hello" });
    const events = await caused(() => revoke(network, chats.robin, said));
    expect(events).toMatchObject([
      { type: "deleted", messengerMessageId: said.id, anew: { content: { text: "[Deleted a message]" } } },
    ]);
  });
});

it("a group that is not the number's is refused in Meta's words", async () => {
  const { receive, text } = await staged();
  await receive(message(hello, { group_id: GROUP, timestamp: String(NOW) }));
  const refusal: DeliveryError = await refusalOf(text(GROUP));
  expect(refusal.message).toContain("not a valid group id");
});
