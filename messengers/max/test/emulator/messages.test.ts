import { describe, expect, it } from "vitest";
import { connected } from "./stage.ts";

async function active() {
  const all = await connected();
  await all.customers.starts(all.dialog);
  return all;
}
const keyboard = (...rows: object[][]) => ({ type: "inline_keyboard", payload: { buttons: rows } });
const button = (text = "Yes") => ({ type: "message", text });
const link = (url: string) => ({ type: "link", text: "Shop", url });

describe("a message", () => {
  it.each([
    [{ text: "x".repeat(4_001) }, "Field 'text' size (4001) must be at most 4000"],
    [{ text: "я".repeat(2_001) }, "Field 'text' size (4002) must be at most 4000"],
    [{ text: "x", attachments: [keyboard([link("tg://x")])] }, "Must have only http/https links format in buttons"],
    [{ text: "x", attachments: [keyboard(Array(8).fill(button()))] }, /buttons/],
    [{ text: "x", attachments: [keyboard(Array(4).fill(link("https://x.example/")))] }, /buttons/],
    [{ text: "x", attachments: [keyboard(...Array(31).fill([button()]))] }, /buttons/],
    [{ text: "x", attachments: [keyboard([button("x".repeat(129))])] }, /Invalid request/],
    [
      { text: "x", attachments: [{ type: "image", payload: { token: "unknown" } }] },
      "Invalid photo token provided: unknown",
    ],
    [{ text: "x", colour: "red" }, /Invalid request.*colour/],
    [{ text: "" }, /must have/],
  ])("that is none is refused in MAX's words: %#", async (body, words) => {
    const { send, dialog } = await active();
    const { status, body: answer } = await send(body);
    expect(status).toBe(400);
    expect(answer).toEqual({
      code: "proto.payload",
      message: words instanceof RegExp ? expect.stringMatching(words) : words,
    });
    expect(dialog.messages).toEqual([]);
  });

  it("needs a recipient who has started the bot", async () => {
    const { send, call, customers, dialog } = await connected();
    expect(await call("POST", "/messages", { text: "x" })).toMatchObject({
      status: 400,
      body: { message: "Missing required parameter: chat_id" },
    });
    expect(await send({ text: "x" }, "chat_id=0")).toMatchObject({
      status: 403,
      body: { code: "chat.denied", message: "Invalid chatId: 0" },
    });
    expect(await send({ text: "x" })).toMatchObject({ status: 404 });
    await customers.starts(dialog);
    expect(await send({ text: "x" }, `user_id=${dialog.person.id}`)).toMatchObject({ status: 200 });
    await customers.stops(dialog);
    expect(await send({ text: "x" })).toMatchObject({
      status: 403,
      body: { code: "chat.denied", message: `Key: error.dialog.suspended, args: [${dialog.chatId}].` },
    });
  });

  it("needs the token in Authorization, whole and without Bearer", async () => {
    const { call } = await active();
    const { emulator } = await connected();
    const [bot] = emulator.world.bots;
    for (const token of ["", "wrong", `Bearer ${bot?.token}`])
      expect(await call("GET", "/me", undefined, token)).toMatchObject({
        status: 401,
        body: { code: "verify.token", message: "Invalid access_token" },
      });
    expect((await call("GET", `/me?access_token=${bot?.token}`, undefined, "")).status).toBe(401);
    expect((await call("PATCH", "/me", {})).status).toBe(405);
  });

  it("has the formatting of HTML and of MAX's Markdown, and a seq that no double holds", async () => {
    const { send } = await active();
    const html = await send({
      text: 'a <b>b<i>c</i></b> &lt; <a href="https://x.example/">d</a> <x>e</x>',
      format: "html",
    });
    expect(html.body.message.body).toMatchObject({
      text: "a bc < d e",
      markup: [
        { type: "emphasized", from: 3, length: 1 },
        { type: "strong", from: 2, length: 2 },
        { type: "link", from: 7, length: 1, url: "https://x.example/" },
      ],
    });
    expect(BigInt(/"seq":(\d+)/.exec(html.text)?.[1] ?? "")).toBeGreaterThan(2n ** 53n);
    const markdown = await send({ text: "**b *c* d** `e*` [f](https://x.example/) 5 * 3", format: "markdown" });
    expect(markdown.body.message.body.text).toBe("b c d e* f 5 * 3");
  });

  it("goes at 2 a second and chat, and all calls at 30 a second", async () => {
    const { send, call, emulator, now } = await active();
    emulator.switches.set({ paced: true });
    const statuses = async (count: number, act: () => Promise<{ status: number }>) => {
      const all = [];
      for (let n = 0; n < count; n++) all.push((await act()).status);
      return all;
    };
    expect(await statuses(3, () => send({ text: "x" }))).toEqual([200, 200, 429]);
    expect((await statuses(30, () => call("GET", "/me"))).filter((status) => status === 429)).toHaveLength(3);
    now.ms += 1_000;
    expect(await statuses(1, () => send({ text: "x" }))).toEqual([200]);
  });
});

describe("a file", () => {
  const form = (name: string, bytes: string, type: string, field = "data") => {
    const data = new FormData();
    data.set(field, new File([bytes], name, { type }));
    return data;
  };
  async function uploaded(all: Awaited<ReturnType<typeof active>>, type: string, data: FormData) {
    const { url, token } = (await all.call("POST", `/uploads?type=${type}`)).body;
    const answer = await all.call("POST", new URL(url).pathname, data, "");
    return { token, answer };
  }

  it("has its token from the upload, or of videos and audio with the address", async () => {
    const all = await active();
    const file = await uploaded(all, "file", form("a.pdf", "%PDF", "application/pdf"));
    expect(file.token).toBeUndefined();
    expect(file.answer.body).toEqual({ token: expect.any(String) });
    const video = await uploaded(all, "video", form("a.mp4", "0000ftypisom", "video/mp4"));
    expect(video.answer.text).toBe("<retval>1</retval>");
    const image = await uploaded(all, "image", form("a.gif", "GIF89a", "image/gif"));
    const [{ token } = { token: "" }] = Object.values(image.answer.body.photos) as { token: string }[];
    const attached = (type: string, given: string) => ({ attachments: [{ type, payload: { token: given } }] });
    expect((await all.send(attached("image", token))).status).toBe(200);
    expect((await all.send(attached("video", video.token))).status).toBe(200);
    expect((await all.send(attached("image", file.answer.body.token))).body.message).toMatch(/^Invalid photo token/);
    expect((await all.send(attached("file", token))).status).toBe(400);
    expect((await all.call("GET", `/videos/${video.token}`)).body.urls).toEqual({ mp4_480: expect.any(String) });
  });

  it("is not ready as often as the switch says, stands alone, and comes in one form field only", async () => {
    const all = await active();
    all.emulator.switches.set({ notReady: 2 });
    const pdf = () => form("a.pdf", "%PDF", "application/pdf");
    const { answer } = await uploaded(all, "file", pdf());
    const file = { type: "file", payload: { token: answer.body.token } };
    for (let n = 0; n < 2; n++)
      expect((await all.send({ attachments: [file] })).body).toEqual({ code: "attachment.not.ready", message: "" });
    expect((await all.send({ attachments: [file, keyboard([button()])] })).status).toBe(200);
    expect((await all.send({ attachments: [file, file] })).body.message).toBe(
      "Must be only one file attachment in message",
    );
    expect((await uploaded(all, "file", form("a.pdf", "%PDF", "application/pdf", "file"))).answer.status).toBe(400);
    const huge = form("a.png", "x".repeat(50_000_001), "image/png");
    expect((await uploaded(all, "image", huge)).answer.status).toBe(413);
    expect((await all.call("POST", "/uploads")).body.message).toBe("Missing required parameter: type");
  });
});

it("a dialog is listed newest first, in pages by time", async () => {
  const { send, call, dialog, now, customers } = await active();
  for (let n = 0; n < 5; n++) {
    now.ms += 1_000;
    await send({ text: `${n}` });
  }
  const list = async (query: string) => (await call("GET", `/messages?chat_id=${dialog.chatId}${query}`)).body;
  const texts = async (query: string) =>
    (await list(query)).messages.map((each: { body: { text: string } }) => each.body.text);
  expect(await texts("")).toEqual(["4", "3", "2", "1", "0"]);
  expect(await texts("&count=2")).toEqual(["4", "3"]);
  expect(await texts(`&from=${now.ms - 1_000}&to=${now.ms - 3_000}`)).toEqual(["3", "2", "1"]);
  expect((await list("&count=101")).code).toBe("proto.payload");
  await customers.stops(dialog);
  expect((await list("")).code).toBe("chat.denied");
});

it("an answer to a callback says something, and an unknown method is refused", async () => {
  const { call } = await active();
  expect((await call("POST", "/answers?callback_id=x", {})).body.message).toBe(
    "Invalid request. `message` or `notification` required",
  );
  expect((await call("POST", "/answers?callback_id=x", { notification: "ok" })).body).toEqual({ success: true });
  expect((await call("GET", "/nowhere")).status).toBe(404);
});
