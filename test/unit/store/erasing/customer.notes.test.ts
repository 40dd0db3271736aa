import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import type { SentPart } from "gangway-messenger/plan";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import type { Job } from "../../../../src/domain/delivery.ts";
import { byUser } from "../../../../src/store/care.ts";
import { ENGINES, oneChannelOn, type TestedEngine } from "../../../support/engines.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { addChannel, takeLease } from "../../../support/store.ts";

const BY = byUser("customer erased");
const PATIENCE = 3_600_000;
const KIND = "toy";
const PREFIXES = [
  { kind: KIND, prefix: "chat:", stays: true as const },
  { kind: KIND, prefix: "optout:", stays: true as const },
  { kind: KIND, prefix: "book:" },
  { kind: KIND, prefix: "ours:" },
  { kind: KIND, prefix: "posted:", ofStep: true },
  { kind: "other", prefix: "cursor:" },
];

/** Ann and Bob have written, in chats of their names. */
async function setUp(engine: TestedEngine) {
  const made = await oneChannelOn(engine, { kind: KIND, erasableNotes: PREFIXES });
  const { store, account, channel } = made;
  for (const chat of ["ann4711", "bob4712"])
    await store.outbox.acceptInbound(channel, { events: [customerSays(`m-${chat}`, "hello", chat)] });
  const note = (notes: Record<string, string>, to: Channel = channel) =>
    store.notes.set(
      to.id,
      Object.entries(notes).map(([key, value]) => ({ key, value })),
    );
  const left = async () => (await made.rows("note")).map(({ key }) => key).sort();
  const person = { channelId: channel.id, chat: "ann4711" as ChatId, customer: "ann4711" as CustomerId };
  const erase = () => store.erasure.customer(account.id, person, BY);
  return { ...made, note, left, person, erase };
}
const partOf = (id: string): SentPart => ({ messengerMessageId: id as MessengerMessageId, holds: "text" });

/** Agents write to both; resolves with the jobs of their messages. */
async function answered({ store, account, channel }: Awaited<ReturnType<typeof setUp>>) {
  for (const chat of ["ann4711", "bob4712"])
    await store.outbox.acceptOutbound(channel, {
      key: `o-${chat}`,
      act: agentSays(chat, "hello", chat),
      patienceMs: PATIENCE,
    });
  const lease = await takeLease(store, account.id, "test");
  const jobs: Job[] = [];
  for (;;) {
    const claimed = await store.outbox.claim(lease, roomFor(9));
    if (claimed.length === 0) break;
    for (const job of claimed) {
      if (job.direction === "outbound") jobs.push(job);
      const id = job.direction === "outbound" ? `mid-${job.key}` : "";
      await store.outbox.done(job, id === "" ? {} : { parts: [partOf(id), partOf(`${id}-second`)] });
    }
  }
  const of = (chat: string) => jobs.find(({ task }) => task.direction === "outbound" && task.act.chat === chat);
  return { ann: of("ann4711") ?? expect.fail("no job"), bob: of("bob4712") ?? expect.fail("no job") };
}

describe.each(ENGINES)("the notes of an erased customer, in $name", (engine) => {
  it("go when their value is the chat, with all that names the id that leads to it, and nobody else's", async () => {
    const { note, left, erase, person, store, account } = await setUp(engine);
    const theirs = { "chat:4900": "ann4711", "optout:4900": "1", "book:4900": "Ann", "to:ann4711": '{"phone":"4900"}' };
    const others = { "chat:4901": "bob4712", "optout:4901": "1", "book:4901": "Bob", "cursor:4900": "ann4711" };
    await note({ ...theirs, ...others });
    const copy = await store.erasure.export(account.id, person, BY);
    const { notes } = typeof copy === "object" ? copy : expect.fail("no copy");
    expect(notes.map(({ key }) => key)).toEqual(Object.keys(theirs).sort());
    expect(await erase()).toMatchObject({ notes: 4 });
    expect(await left()).toEqual(Object.keys(others).sort());
  });

  it("go the same when nothing says any more whose the chat is", async () => {
    const made = await setUp(engine);
    const { note, left, person, store, account } = made;
    await answered(made);
    await store.retention.sweep("settled", Number.MAX_SAFE_INTEGER, new Map(), 0);
    await note({ "chat:4900": "ann4711", "book:4900": "Ann", "chat:4901": "bob4712" });
    await store.erasure.customer(account.id, { ...person, customer: undefined }, BY);
    expect(await left()).toEqual(["chat:4901"]);
  });

  it("tell which requests name them: also by another id than the chat's", async () => {
    const { note, erase, store, channel } = await setUp(engine);
    await note({ "chat:4900": "ann4711", "chat:4901": "bob4712" });
    for (const phone of ["4900", "4901"])
      await store.outbox.acceptInbound(channel, {
        events: [customerSays(`m-${phone}`, "hello", "eve4713")],
        raw: () => ({ path: "", headers: {}, body: JSON.stringify({ recipient_id: phone }) }),
      });
    expect(await erase()).toMatchObject({ webhooks: 1 });
  });

  it("go by the key of each step of an agent's message to them, also of one sent again, and by the ids of its later parts", async () => {
    const made = await setUp(engine);
    const { ann, bob } = await answered(made);
    const posted = ({ key }: Job) => [`posted:${key}`, `posted:${key}.1`, `posted:${key}-1`, `posted:${key}-2.11`];
    const ours = ({ key }: Job) => [`ours:mid-${key}`, `ours:mid-${key}-second`];
    const valued = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, "1"]));
    // Whoever has the number of Ann's message as an id.
    const stranger = `book:${ann.key}`;
    const others = [...posted(bob), ...ours(bob), stranger, `posted:${ann.key}0`, `posted:x${ann.key}`];
    await made.note(valued([...posted(ann), ...ours(ann), ...others]));
    await made.erase();
    expect(await made.left()).toEqual(others.sort());
  });

  it("are told from the keys of steps: a customer whose id is a number takes no other's", async () => {
    const made = await setUp(engine);
    const { bob } = await answered(made);
    const chat = bob.key;
    await made.store.outbox.acceptInbound(made.channel, { events: [customerSays("m-number", "hello", chat)] });
    await made.note({ [`posted:${bob.key}`]: "1", [`book:${chat}`]: "Number" });
    const person = { channelId: made.channel.id, chat: chat as ChatId, customer: chat as CustomerId };
    await made.store.erasure.customer(made.account.id, person, BY);
    expect(await made.left()).toEqual([`posted:${bob.key}`]);
  });

  it("are not written for the chat by work under way, whatever their keys name, until they write again", async () => {
    const { note, left, erase, store, account, channel } = await setUp(engine);
    await erase();
    const late = { key: "ours:mid-late", value: "1" };
    await store.notes.set(channel.id, [late], "ann4711");
    await store.notes.set(channel.id, [{ ...late, key: "ours:mid-bob" }], "bob4712");
    await note({ "ours:mid-nobody": "1" });
    await store.notes.set((await addChannel(store, account, KIND)).id, [{ ...late, key: "ours:elsewhere" }], "ann4711");
    expect(await left()).toEqual(["ours:elsewhere", "ours:mid-bob", "ours:mid-nobody"]);
    await store.outbox.acceptInbound(channel, { events: [customerSays("m-again", "hello again", "ann4711")] });
    await store.notes.set(channel.id, [late], "ann4711");
    expect(await left()).toContain(late.key);
  });
});
