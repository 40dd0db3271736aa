import { describe, expect, it } from "vitest";
import { CUSTOMER, event, GROUP, newMessage, reply, wireMessage } from "../../../samples/wire.ts";
import vk from "../../../src/index.ts";
import { beside, fresh, talking } from "../../talking.ts";

const post = (doorUrl: string, body: unknown) => new Request(doorUrl, { method: "POST", body: JSON.stringify(body) });
async function read(body: unknown) {
  const { session, context, emulator } = await beside();
  await session.connect(fresh());
  const receipt = await session.receive(post(context.doorUrl, body));
  return { ...receipt, emulator };
}

describe("the answer at the door", () => {
  it("is exactly `ok`, and to the confirmation VK's own string, with a secret or without", async () => {
    const { session, context, emulator } = await beside();
    const [community] = emulator.core.world.communities;
    const answer = async (body: unknown) => {
      const { reply: said } = await session.receive(post(context.doorUrl, body));
      return [said.status, await said.text()];
    };
    expect(await answer(newMessage({ text: "hello" }))).toEqual([200, "ok"]);
    expect(await answer(event("event_of_tomorrow", {}))).toEqual([200, "ok"]);
    for (const secret of [undefined, "s".repeat(43)])
      expect(await answer({ type: "confirmation", group_id: GROUP, secret })).toEqual([200, community?.confirmation]);
  });
});

describe("a message with a field of another type", () => {
  it.each([
    { attachments: "x" },
    { attachments: [null, 5, { type: 7 }, { type: "photo" }, { type: "photo", photo: { sizes: [{ url: 5 }] } }] },
    { geo: "x" },
    { geo: { coordinates: { latitude: "north" } } },
    { reply_message: 5 },
    { fwd_messages: [5, null, "x"] },
    { ref: 5, ref_source: {} },
    { random_id: "x", out: "no", admin_author_id: "x" },
    { date: "soon" },
    { is_cropped: "yes" },
  ])("keeps its text (%j)", async (strange) => {
    const { events } = await read(newMessage({ text: "hello", ...strange }));
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events)).toContain("hello");
  });

  it.each(["__proto__", "constructor", "toString"])("of a kind called %s is told in words", async (type) => {
    const { events } = await read(newMessage({ attachments: [{ type, [type === "__proto__" ? "x" : type]: {} }] }));
    expect(events).toMatchObject([{ content: { type: "text", text: `[Unsupported message type: ${type}]` } }]);
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "//x", ""])(
    "with a file at %s is told in words",
    async (url) => {
      const doc = { title: "a", ext: "txt", url, size: 1, type: 1 };
      const { events } = await read(newMessage({ attachments: [{ type: "doc", doc }] }));
      expect(events).toMatchObject([{ content: { type: "text" } }]);
    },
  );

  it("has the time of its arrival where its own makes no sense", async () => {
    for (const date of [9e18, -5, 1e300]) {
      const { events } = await read(newMessage({ text: "x", date }));
      expect(events[0]?.at).toBeLessThan(Date.UTC(2200, 0));
      expect(events[0]?.at).toBeGreaterThan(Date.UTC(2026, 0));
    }
  });

  it("ends with forwarded messages that nest too deeply, and those that are too many", async () => {
    const nest = (depth: number): object => ({
      from_id: 1,
      date: 1,
      conversation_message_id: 1,
      text: "in",
      ...(depth > 0 && { fwd_messages: [nest(depth - 1)] }),
    });
    const deep = await read(newMessage({ text: "hello", fwd_messages: [nest(20)] }));
    expect(deep.events).toMatchObject([{ content: { text: expect.stringContaining("hello") } }]);
    const many = await read(newMessage({ text: "hello", fwd_messages: Array(1_000).fill(nest(0)) }));
    expect(JSON.stringify(many.events).length).toBeLessThan(20_000);
  });
});

describe("a message that VK crops", () => {
  it("is fetched whole", async () => {
    const { emulator, after, chat } = await talking();
    const text = "long ".repeat(500).trim();
    const [said] = await after(() => emulator.customers.says(chat, { text, isCropped: true }));
    expect(said).toMatchObject({ content: { type: "text", text } });
  });

  it("comes cropped where VK has no more, and is asked for again where VK does not answer", async () => {
    const { emulator, after, chat, context, session } = await talking();
    emulator.core.faults.plan({ operation: "messages.getById", code: 100 });
    const text = "long ".repeat(500).trim();
    const [said] = await after(() => emulator.customers.says(chat, { text, isCropped: true }));
    expect(said).toMatchObject({ content: { text: text.slice(0, 200) } });
    emulator.core.faults.plan({ operation: "messages.getById", status: 503 });
    const body = newMessage({ text: "x", is_cropped: true });
    await expect(session.receive(post(context.doorUrl, body))).rejects.toThrow();
  });
});

describe("a message that VK crops, and that is large or never given", () => {
  const text = "long ".repeat(500).trim();
  const LARGEST = 16 * 1024 * 1024;

  it("is fetched up to 16 MiB, and else comes cropped", async () => {
    const { emulator, after, chat, context } = await talking();
    const { call } = context;
    const limits: (number | undefined)[] = [];
    const large: typeof call = async (request) => {
      if (!request.url.endsWith("/messages.getById")) return call(request);
      limits.push(request.maxBytes);
      return { type: "failure", sent: "perhaps", reason: "too-large", detail: "" };
    };
    Object.assign(context, { call: large });
    const own = vk.open(context);
    const { events } = await own.receive(
      post(context.doorUrl, newMessage({ text: "the beginning", is_cropped: true })),
    );
    expect(events).toMatchObject([{ content: { text: "the beginning" } }]);
    expect(limits).toEqual([LARGEST]);
    expect(await after(() => emulator.customers.says(chat, { text, isCropped: true }))).toHaveLength(1);
  });

  it("holds up none that are polled with it", async () => {
    const { session, context, emulator } = await beside({ updates: "polling" });
    await session.connect(fresh());
    const at = (_: number, run: () => void) => {
      setImmediate(run);
      return () => {};
    };
    Object.assign(context, { clock: { ...context.clock, after: at } });
    const { call } = context;
    let notice = () => {};
    const polled = new Promise<void>((resolve) => {
      notice = resolve;
    });
    const noticed: typeof call = (request) => {
      const answer = call(request);
      if (request.waiting) notice();
      return answer;
    };
    Object.assign(context, { call: noticed });
    const stop = new AbortController();
    const came: unknown[] = [];
    const run = vk.open(context).feed?.run(async ({ events }) => {
      came.push(...events);
      if (came.length > 1) stop.abort();
    }, stop.signal);
    await polled;
    const chat = emulator.chat();
    emulator.core.faults.plan({ operation: "messages.getById", status: 502, body: "html", times: 99 });
    await emulator.customers.says(chat, { text, isCropped: true });
    await emulator.customers.says(chat, { text: "and another" });
    await run?.catch(() => {});
    expect(came).toMatchObject([{ content: { text: text.slice(0, 200) } }, { content: { text: "and another" } }]);
  });
});

describe("an event about our own messages", () => {
  it("is left alone, even before the call is answered and without a random_id", async () => {
    const { send, after, emulator, session, peer } = await talking();
    expect(await after(() => send({}, "one"))).toEqual([]);
    emulator.core.switches.set({ echoNames: false });
    expect(await after(() => send({}, "two"))).toEqual([]);
    const { parts } = await send({}, "three");
    const step = { do: "edit" as const, part: parts[0], text: "mended", marks: [], suggestions: [] };
    expect(await after(async () => session.revisions?.edit(step, peer, fresh()))).toEqual([]);
  });

  it("is none of theirs: staff's message comes from the channel, and so does its edit", async () => {
    const { after, emulator, chat, idOf } = await talking();
    const said = await after(() => emulator.customers.staffSays(chat, "From the staff"));
    expect(said).toMatchObject([
      { type: "message", originator: "channel", messengerMessageId: idOf(2), content: { text: "From the staff" } },
    ]);
    const [, message] = chat.messages;
    if (!message) throw new Error("no message");
    expect(await after(() => emulator.customers.staffEdits(chat, message, "mended"))).toMatchObject([
      { type: "edited", messengerMessageId: idOf(2), text: "mended" },
    ]);
    expect((await read(reply({ random_id: 0 }))).events).toMatchObject([{ originator: "channel" }]);
  });
});

describe("a read mark", () => {
  it("in its older form is found by the message's number in the community", async () => {
    const { send, after, emulator, chat, idOf } = await talking();
    await send();
    emulator.core.switches.set({ readNames: false });
    expect(await after(() => emulator.customers.reads(chat))).toMatchObject([
      { type: "read", messengerMessageId: idOf(2) },
    ]);
  });

  it("of the community itself says nothing", async () => {
    const mark = { from_id: -GROUP, peer_id: CUSTOMER, read_message_id: 1, conversation_message_id: 1 };
    expect((await read(event("message_read", mark))).events).toEqual([]);
  });
});

describe("a customer who forbids messages", () => {
  it("is noted for the agent, and so is that they allow them again; allowing them first says nothing", async () => {
    const { after, emulator, chat, send } = await talking();
    expect(await after(() => emulator.customers.allows(chat))).toEqual([]);
    expect(await after(() => emulator.customers.denies(chat))).toMatchObject(
      [{ type: "note", text: /forbidden/ }].map((each) => ({ ...each, text: expect.stringMatching(each.text) })),
    );
    await expect(send()).rejects.toMatchObject({ verdict: { type: "reject", code: "access_restricted" } });
    const [note] = await after(() => emulator.customers.allows(chat));
    expect(note).toMatchObject({ type: "note", text: expect.stringContaining("again") });
  });
});

it("an edit whose words are gone says that it was edited", async () => {
  const photo = { sizes: [{ url: "https://x.example/a.jpg", width: 1, height: 1 }] };
  const edited = wireMessage({ attachments: [{ type: "photo", photo }], update_time: 5 });
  expect((await read(event("message_edit", edited))).events).toMatchObject([
    { type: "edited", text: "[Edited message]" },
  ]);
});

it("a name is asked for once; without an answer nobody is asked for a minute", async () => {
  const { emulator, after, later } = await talking();
  const { core, customers } = emulator;
  const asked = () => core.journal.entries().filter(({ operation }) => operation === "users.get").length;
  const before = asked();
  const says = async (person: number) => (await after(() => customers.says(emulator.chat(person), { text: "x" })))[0];
  await says(1);
  expect(asked()).toBe(before);
  core.faults.plan({ operation: "users.get", status: 502, body: "html" });
  expect(await says(2)).toMatchObject({ customer: { nickname: "VK 0002" } });
  expect(await says(2)).toMatchObject({ customer: { nickname: "VK 0002" } });
  expect(asked()).toBe(before + 1);
  later(60_000);
  expect(await says(2)).toMatchObject({ customer: { nickname: "Борис Орлов" } });
});

it("a button of another program's is shown, and left to that program to answer", async () => {
  const { events, emulator } = await read(
    event("message_event", { event_id: "e1", user_id: CUSTOMER, peer_id: CUSTOMER }),
  );
  expect(events).toHaveLength(1);
  const called = emulator.core.journal.entries().map(({ operation }) => operation);
  expect(called).not.toContain("messages.sendMessageEventAnswer");
});

it("two edits in one second are two", async () => {
  const { emulator, after, chat } = await talking();
  const [message] = chat.messages;
  if (!message) throw new Error("no message");
  const edits = await after(async () => {
    await emulator.customers.edits(chat, message, "one");
    await emulator.customers.edits(chat, message, "two");
  });
  expect(edits).toMatchObject([{ text: "one" }, { text: "two" }]);
  expect(new Set(edits.map(({ key }) => key)).size).toBe(2);
  expect(new Set(edits.map((each) => each.type === "edited" && each.anew?.messengerMessageId)).size).toBe(2);
});
