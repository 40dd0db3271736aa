import { PICTURE } from "gangway-messenger/kit/sending";
import { describe, expect, it, vi } from "vitest";
import { fullId } from "../../src/message-id.ts";
import { FILE_BYTES } from "../../src/wire.ts";
import { besideApp, CHAT, fresh, signedRequest, step } from "../support.ts";

const { open } = besideApp();
/** An app that has no address of its own. */
const pulling = besideApp({ callbackUrl: undefined });

type Channel = Awaited<ReturnType<typeof open>>;
interface Page {
  events: { id: string; type: string; data: { text?: string } }[];
  cursor: string;
  more: boolean;
}
const ask = async ({ session, context }: Channel, query = "", address = "192.0.2.1") => {
  const { reply } = await session.receive(signedRequest(context.doorUrl + query, "", { method: "GET" }), address);
  return {
    status: reply.status,
    body: (await reply.json()) as Page & { error: { message: string; fields?: object[] } },
  };
};
const say = ({ session }: Channel, text: string) => session.send(step({ text }), { chat: CHAT, key: text }, fresh());
const texts = ({ events }: Page) => events.map(({ data }) => data.text);

it("a request without a signature is refused before its body is read", async () => {
  const { session, context } = await open();
  const request = new Request(context.doorUrl, { method: "POST", body: "{}" });
  expect((await session.receive(request, "192.0.2.1")).reply.status).toBe(401);
  expect(request.bodyUsed).toBe(false);
});

describe("the events that an app has missed", () => {
  it("are listed after its cursor, in order, the same as they were told", async () => {
    const app = await open();
    for (const text of ["one", "two", "three"]) await say(app, text);
    const { body: first } = await ask(app, "?limit=2");
    expect([texts(first), first.more]).toEqual([["one", "two"], true]);
    expect(first.events[0]).toEqual(app.emulator.events.find(({ type }) => type === "message.created"));
    const { body: rest } = await ask(app, `?after=${first.cursor}`);
    expect([texts(rest), rest.more]).toEqual([["three"], false]);
    const { body: none } = await ask(app, `?after=${rest.cursor}`);
    expect(none).toEqual({ events: [], cursor: rest.cursor, more: false });
  });

  it("are all events where the app has no address, and a message counts as sent once it is there", async () => {
    const app = await pulling.open();
    expect((await say(app, "hello")).parts[0].messengerMessageId).toMatch(/^robin:msg_/);
    await say(app, "hello");
    expect(texts((await ask(app)).body)).toEqual(["hello"]);
    expect(app.emulator.events).toEqual([]);
  });

  it("include those that the app's address did not take", async () => {
    const app = await open();
    app.emulator.answers(503);
    await expect(say(app, "hello")).rejects.toThrow();
    expect(texts((await ask(app)).body)).toEqual(["hello"]);
  });

  it("come as soon as there are some, where the app waits", async () => {
    const app = await pulling.open();
    const asked = ask(app, "?wait=25");
    await say(app, "hello");
    expect(texts((await asked).body)).toEqual(["hello"]);
    expect(app.context.journal).toMatchObject({ watchers: expect.any(Function) });
    expect((app.context.journal as unknown as { watchers(): number }).watchers()).toBe(0);
  });

  it("end their wait when it is over, when the app is gone, and when the channel changes", async () => {
    vi.useFakeTimers();
    try {
      const app = await pulling.open();
      const asked = ask(app, "?wait=5");
      await vi.advanceTimersByTimeAsync(5_000);
      expect((await asked).body.events).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
    const app = await pulling.open();
    const closed = new AbortController();
    Object.assign(app.context, { closed: closed.signal });
    const asked = ask(app, "?wait=25");
    closed.abort();
    expect((await asked).status).toBe(200);
  });

  it("are not waited for where too many wait already", async () => {
    const app = await pulling.open();
    Object.assign(app.context, { streams: { hasRoom: () => false, take: () => undefined } });
    expect((await ask(app, "?wait=5")).status).toBe(429);
    expect((await ask(app)).status).toBe(200);
  });

  it("go on where the list ends, should the cursor be ahead of it after a restore", async () => {
    const app = await pulling.open();
    await say(app, "one");
    const { body } = await ask(app, "?after=999999");
    expect(body.events).toEqual([]);
    await say(app, "two");
    expect(texts((await ask(app, `?after=${body.cursor}`)).body)).toEqual(["two"]);
  });

  it.each(["?after=x", "?after=-1", "?limit=0", "?limit=101", "?wait=26"])(
    "are refused in words: %s",
    async (query) => {
      const { status, body } = await ask(await open(), query);
      expect(status).toBe(400);
      expect(body.error.fields).toHaveLength(1);
    },
  );
});

describe("an event of an app", () => {
  const post = async ({ session, context }: Channel, body: object, id?: string) => {
    const receipt = await session.receive(signedRequest(context.doorUrl, body, { id }));
    return { ...receipt, status: receipt.reply.status, said: await receipt.reply.json() };
  };
  const created = (data: object) => ({
    type: "message.created",
    data: { chat: CHAT, id: "m-1", text: "hello", ...data },
  });

  it("is answered with its id, and a repeat alike", async () => {
    const app = await open();
    for (let n = 0; n < 2; n++)
      expect(await post(app, created({}), "evt_7")).toMatchObject({ status: 200, said: { id: "evt_7" } });
  });

  it("with wrong fields is answered with each of them, by its path", async () => {
    const app = await open();
    const files = [{ url: "no address" }, {}];
    const { status, said, events } = await post(
      app,
      created({ id: "", text: "x".repeat(4097), files, from: "nobody" }),
    );
    expect([status, events]).toEqual([400, []]);
    const paths = (said as { error: { fields: { path: string }[] } }).error.fields.map(({ path }) => path);
    expect(paths.sort()).toEqual(["data.files.0.url", "data.files.1", "data.from", "data.id", "data.text"]);
  });

  it.each(["a\u0000b", "a\nb", "\ud800"])("is refused with an id that no database keeps: %j", async (id) => {
    const { status, said } = await post(await open(), created({ id, chat: id }));
    expect(status).toBe(400);
    expect(said).toMatchObject({ error: { fields: [{ path: "data.chat" }, { path: "data.id" }] } });
  });

  it("of an unknown type is answered with those that there are", async () => {
    const { said } = await post(await open(), { type: "message.sung", data: {} });
    expect(said).toMatchObject({
      error: { fields: [{ path: "type", message: expect.stringContaining("message.created") }] },
    });
  });

  it("of the future counts as of now, and one without a time, too", async () => {
    const app = await open();
    const before = app.context.clock.now();
    for (const timestamp of ["2999-01-01T00:00:00Z", undefined]) {
      const [event] = (await post(app, { ...created({}), timestamp })).events;
      expect(event?.at).toBeGreaterThanOrEqual(before);
      expect(event?.at).toBeLessThanOrEqual(app.context.clock.now());
    }
  });

  it("names its message within its chat: two chats may have messages of one id", async () => {
    const app = await open();
    const [one] = (await post(app, created({ chat: "one" }))).events;
    const [other] = (await post(app, created({ chat: "other" }))).events;
    expect(one?.key).not.toBe(other?.key);
    expect(one?.messengerMessageId).not.toBe(other?.messengerMessageId);
    const mark = async (chat: string) => {
      await app.session.readMarks?.read({ chat: chat as never, messengerMessageId: fullId(chat, "m-1") }, fresh());
      return app.emulator.events.at(-1);
    };
    const told = [await mark("one"), await mark("other")];
    expect(told.map((event) => event?.data)).toEqual([
      { chat: "one", id: "m-1" },
      { chat: "other", id: "m-1" },
    ]);
    expect(told[0]?.id).not.toBe(told[1]?.id);
  });

  it("that changes something again has another identity than the first, and its repeat has the same", async () => {
    const app = await open();
    const edit = { type: "message.edited", data: { chat: CHAT, id: "m-1", text: "mended" } };
    const keys = [];
    for (const id of ["evt_1", "evt_1", "evt_2"]) keys.push((await post(app, edit, id)).events[0]?.key);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
  });
});

describe("an upload", () => {
  const pdf = { bytes: Buffer.from("%PDF-1.7 offer"), mediaType: "application/pdf" };
  const offered = async ({ session, context }: Channel, about: object = {}) => {
    const file = { chat: CHAT, name: "a.png", mediaType: "image/png", ...about };
    const { reply } = await session.receive(signedRequest(`${context.doorUrl}/uploads`, file));
    return (await reply.json()) as { url: string; maxBytes: number };
  };
  const put = async ({ session }: Channel, url: string, bytes: Uint8Array | undefined) => {
    const { reply } = await session.receive(new Request(url, { method: "POST", body: bytes && new Uint8Array(bytes) }));
    return { status: reply.status, body: await reply.json() };
  };

  it("becomes a file of a message, kept until that is delivered", async () => {
    const app = await open();
    const upload = await app.emulator.uploads("offer.pdf", pdf);
    const [event] = await app.after(() => app.emulator.says({ text: "look", files: [{ upload }] }));
    const part = { file: { at: "messenger", ref: upload }, name: "offer.pdf", mediaType: "application/pdf", size: 14 };
    expect(event).toMatchObject({ content: { type: "file", note: "look", files: [part] } });
    const file = await app.session.files?.open(upload, fresh());
    expect(await new Response(file?.body).text()).toBe("%PDF-1.7 offer");
    expect(await app.context.journal.latest(CHAT, { entries: 9, bytes: 9_999 })).toMatchObject([{ entry: [upload] }]);
  });

  it("is a picture when its bytes say so", async () => {
    const app = await open();
    const upload = await app.emulator.uploads("a.bin", { bytes: PICTURE, mediaType: "application/octet-stream" });
    const [event] = await app.after(() => app.emulator.says({ files: [{ upload }] }));
    expect(event).toMatchObject({ content: { type: "image", files: [{ mediaType: "image/png" }] } });
  });

  it("needs the address that was offered, within an hour", async () => {
    const app = await open();
    const { url, maxBytes } = await offered(app);
    expect(maxBytes).toBe(FILE_BYTES);
    expect((await put(app, `${url}x`, pdf.bytes)).status).toBe(403);
    expect((await put(app, url, pdf.bytes)).status).toBe(200);
    const { clock } = app.context;
    Object.assign(app.context, { clock: { ...clock, now: () => clock.now() + 3_600_001 } });
    expect((await put(app, url, pdf.bytes)).status).toBe(403);
  });

  it("that is empty or too large is refused", async () => {
    const app = await open();
    const { url } = await offered(app);
    expect((await put(app, url, undefined)).status).toBe(400);
    expect((await put(app, url, new Uint8Array(0))).status).toBe(400);
    expect((await put(app, url, new Uint8Array(FILE_BYTES + 1))).status).toBe(413);
  });
});

describe("a file by link", () => {
  it.each([
    [404, "", { type: "reject", code: "general" }],
    [429, "3", { type: "retry", afterMs: 3_000 }],
    [503, "", { type: "retry" }],
    [500, "", { type: "retry" }],
    [302, "", { type: "retry" }],
  ])("whose address answers %i is a verdict", async (status, retryAfter, verdict) => {
    const app = await open();
    const headers: Record<string, string> = retryAfter ? { "retry-after": retryAfter } : {};
    app.context.call = async () => ({
      type: "answer",
      status,
      headers,
      bytes: new Uint8Array(),
      stream: new Blob([]).stream(),
    });
    const opened = app.session.files?.open("web:https://app.example/a.png", fresh());
    await expect(opened).rejects.toMatchObject({ verdict });
  });

  it("is not a page that stands in its place", async () => {
    const app = await open();
    const headers = { "content-type": "text/html" };
    const stream = () => new Blob(["<html>"]).stream();
    app.context.call = async () => ({
      type: "answer",
      status: 200,
      headers,
      bytes: new Uint8Array(),
      stream: stream(),
    });
    await expect(app.session.files?.open("web:https://app.example/a.png", fresh())).rejects.toMatchObject({
      verdict: { type: "retry" },
    });
  });
});
