import { describe, expect, it } from "vitest";
import * as acts from "../../../emulator/acts.ts";
import { staffWrites } from "../../../emulator/coexistence.ts";
import { COEXISTENCE_ID, NUMBER_ID } from "../../../emulator/seed.ts";
import { chatOf } from "../../../emulator/world.ts";
import { AT, about, file, ROBIN, SHOP } from "../../../samples/wire.ts";
import whatsapp from "../../../src/index.ts";
import { fresh, staged } from "../stage.ts";

const past = (id: string, content: object, from = ROBIN.phone) => ({
  ...{ from, id, timestamp: String(AT), history_context: { status: "READ" } },
  ...content,
});
const text = (id: string, body: string, from?: string) => past(id, { type: "text", text: { body } }, from);
const history = (messages: object[], more: object = {}) =>
  about(
    {
      history: [
        { metadata: { phase: 0, chunk_order: 1, progress: 55 }, threads: [{ id: ROBIN.phone, messages }], ...more },
      ],
    },
    "history",
  );

describe("the history of a number's phone", () => {
  it("is read as messages of the past, of both sides, under the names of the phone's address book", async () => {
    const { receive } = await staged();
    const contact = { full_name: "Robin of the Quay", first_name: "Robin", phone_number: `+${ROBIN.phone}` };
    await receive(
      about(
        { state_sync: [{ type: "contact", contact, action: "add", metadata: { timestamp: "1" } }] },
        "smb_app_state_sync",
      ),
    );
    const { events } = await receive(history([text("wamid.P2", "Till six", SHOP), text("wamid.P1", "Are you open?")]));
    expect(events).toMatchObject([
      {
        type: "message",
        key: "wamid.P2",
        originator: "channel",
        past: true,
        customer: { nickname: "Robin of the Quay" },
      },
      { type: "message", key: "wamid.P1", originator: "customer", past: true, chat: ROBIN.phone, at: AT * 1_000 },
    ]);
    // One who leaves the book has the number as a name.
    await receive(about({ state_sync: [{ type: "contact", contact, action: "remove" }] }, "smb_app_state_sync"));
  });

  it("tells of a file first, and brings it as a message of its own that quotes it: never as a new one", async () => {
    const { receive } = await staged();
    const [told] = (await receive(history([past("wamid.P3", { type: "media_placeholder" })]))).events;
    expect(told).toMatchObject({ content: { type: "text", text: "[A file, which is on the phone]" }, past: true });
    const image = { type: "image", image: file("5550", "image/jpeg") };
    const brought = await receive(about({ messages: [past("wamid.P3", image)] }, "history"));
    expect(brought.events).toMatchObject([
      { key: "wamid.P3.file", quote: "wamid.P3", past: true, content: { type: "image" } },
    ]);
  });

  it("leaves out what is no message, and says what it cannot read", async () => {
    const { receive } = await staged();
    const reaction = past("wamid.P4", { type: "reaction", reaction: { message_id: "wamid.P1", emoji: "👍" } });
    const revoke = past("wamid.P5", { type: "revoke", revoke: { original_message_id: "wamid.P1" } });
    expect((await receive(history([reaction, revoke, text("wamid.P6", "stays")]))).events).toMatchObject([
      { key: "wamid.P6" },
    ]);
    expect((await receive(about({ history: ["x"] }, "history"))).unknown).toContain("history");
  });
});

describe("a number that is used in an app, too", () => {
  const opened = async (own: object = {}) => {
    const stage = await staged({ phoneNumberId: COEXISTENCE_ID, importHistory: true, ...own });
    const number = stage.world.numbers.get(COEXISTENCE_ID);
    const [robin] = stage.world.customers;
    if (!number || !robin) throw new Error("no number");
    const chat = chatOf(stage.world, number, robin);
    return { ...stage, number, chat, facts: async () => (await stage.session.standing?.(fresh()))?.facts ?? [] };
  };

  it("is asked for its chats once, and the page shows how far they are", async () => {
    const { session, network, chat, after, facts, number } = await opened();
    await acts.write(network, chat, { text: "before" });
    await staffWrites(network, chat, { type: "text", text: { body: "by phone" } });
    const events = await after(async () => {
      await session.connect(fresh());
      await session.connect(fresh());
      await network.idle();
    });
    expect([...(number.synced ?? [])]).toEqual(["smb_app_state_sync", "history"]);
    expect(events).toMatchObject([
      { originator: "customer", past: true, content: { text: "before" } },
      { originator: "channel", past: true, content: { text: "by phone" } },
    ]);
    expect((await facts()).at(-1)).toMatchObject({ value: "100 %" });
  });

  it("is not asked unless the form says so; what the owner does not share, and what Meta refuses, is told on the page", async () => {
    const quiet = await opened({ importHistory: false });
    await quiet.session.connect(fresh());
    expect(quiet.number.synced).toBeUndefined();
    const refused = await opened({ phoneNumberId: NUMBER_ID });
    await refused.session.connect(fresh());
    expect((await refused.facts()).at(-1)).toMatchObject({ isBad: true });
    const declined = await opened();
    declined.network.switches.set({ sharesHistory: false });
    await declined.session.connect(fresh());
    await declined.network.idle();
    expect((await declined.facts()).at(-1)).toMatchObject({ value: { en: "Not shared by the phone's owner" } });
    expect(whatsapp.settings.parse({ ...declined.settings })).toMatchObject({ importHistory: true });
  });
});
