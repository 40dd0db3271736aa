import { createHmac } from "node:crypto";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { expect, it } from "vitest";
import { FOREIGN_PAGE, PAGE, SECOND_TOKEN, TOKEN } from "../../emulator/emulator.ts";
import { page } from "./pages.ts";

const DAY_MS = 86_400_000;
const PICTURE = "https://files.test/picture.png";
const png = () =>
  new Response(Uint8Array.from(paintPng(2, 2, [1, 2, 3])), { headers: { "content-type": "image/png" } });

async function open() {
  const module = await page();
  await module.emulator.customers.says(module.chat, { text: "Hi" });
  module.files.set(PICTURE, png());
  return module;
}
const image = (payload: object) => ({ attachment: { type: "image", payload } });

it("texts of 2,000 characters go, longer ones and long metadata are refused by name", async () => {
  const { send } = await open();
  expect((await send({ text: "ñ".repeat(2000) })).status).toBe(200);
  expect((await send({ text: "ñ".repeat(2001) })).body.error).toMatchObject({
    code: 100,
    type: "OAuthException",
    message: "(#100) Length of param message[text] must be less than or equal to 2000",
    fbtrace_id: expect.stringMatching(/^A/),
  });
  expect((await send({ text: "x", metadata: "m".repeat(1001) })).body.error.message).toContain("message[metadata]");
  expect((await send({})).body.error).toMatchObject({ code: 100, error_subcode: 2018034 });
  expect((await send({ text: "x", colour: "red" })).body.error.message).toContain('Invalid keys "colour"');
});

it("a file goes by address, by upload and with the call, and can be used again", async () => {
  const { send, call, chat } = await open();
  const first = await send(image({ url: PICTURE, is_reusable: true }));
  expect(first.body).toMatchObject({ message_id: expect.any(String), attachment_id: expect.any(String) });
  expect((await send(image({ attachment_id: first.body.attachment_id }))).status).toBe(200);
  const form = new FormData();
  form.set("recipient", JSON.stringify({ id: chat.scopedId }));
  form.set("message", JSON.stringify({ attachment: { type: "file", payload: { is_reusable: true } } }));
  form.set("filedata", new File(["%PDF-1.7"], "bill.pdf", { type: "application/pdf" }));
  expect((await call("POST", `/v23.0/${PAGE.id}/messages`, { token: TOKEN, body: form })).status).toBe(200);
  form.delete("recipient");
  const uploaded = await call("POST", `/v23.0/me/message_attachments`, { token: TOKEN, body: form });
  expect(uploaded.body).toEqual({ attachment_id: expect.stringMatching(/^\d+$/) });
  const wrongType = await send(image({ attachment_id: uploaded.body.attachment_id }));
  expect(wrongType.body.error).toMatchObject({ code: 100, error_subcode: 2018074 });
});

it("a file that is not what it says, too large or not to be had is refused", async () => {
  const { send, files } = await open();
  files.set("https://files.test/a", new Response("just words", { headers: { "content-type": "image/png" } }));
  files.set("https://files.test/b", new Response(null, { status: 404 }));
  files.set("https://files.test/c", new Response(Buffer.alloc(25 * 1024 * 1024 + 1, 1)));
  const subcodes = [];
  for (const name of ["a", "b", "c"])
    subcodes.push((await send(image({ url: `https://files.test/${name}` }))).body.error.error_subcode);
  expect(subcodes).toEqual([2018047, 2018008, 2018109]);
});

it("quick replies, buttons, cards and quotes are shown on the phone, and beyond their limits refused", async () => {
  const { send, chat } = await open();
  const [said] = chat.messages;
  const quick = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ content_type: "text", title: `${i}`, payload: `p${i}` }));
  await send({ text: "Which?", quick_replies: quick(13) }, { reply_to: { mid: said?.mid } });
  expect(chat.messages.at(-1)).toMatchObject({ replyTo: { mid: said?.mid }, choices: { length: 13 } });
  const postback = { type: "postback", title: "Buy", payload: "BUY" };
  const card = { title: "Shoes", subtitle: "€40", image_url: PICTURE, buttons: [postback] };
  const template = (payload: object) => ({ attachment: { type: "template", payload } });
  await send(template({ template_type: "generic", elements: [card] }));
  expect(chat.messages.at(-1)).toMatchObject({ buttons: [{ title: "Buy", payload: "BUY" }] });
  await send(template({ template_type: "button", text: "Buy?", buttons: [postback] }));
  const tooMuch = [
    { text: "x", quick_replies: quick(14) },
    template({ template_type: "generic", elements: Array(11).fill(card) }),
    template({ template_type: "button", text: "x".repeat(641), buttons: [postback] }),
    template({ template_type: "button", text: "x", buttons: Array(4).fill(postback) }),
    template({ template_type: "button", text: "x", buttons: [{ ...postback, title: "x".repeat(21) }] }),
  ];
  for (const message of tooMuch) expect((await send(message)).body.error.code).toBe(100);
  expect((await send({ text: "x" }, { reply_to: { mid: "m_unknown" } })).body.error.code).toBe(100);
});

it("typing, read marks and reactions of the page show in the chat", async () => {
  const { act, chat, clock } = await open();
  const [said] = chat.messages;
  expect((await act("typing_on")).body).toEqual({ recipient_id: chat.scopedId });
  expect(chat.typingUntil).toBeGreaterThan(clock.now());
  await act("mark_seen");
  expect(chat.seenAt).toBeGreaterThan(0);
  await act("react", { payload: { message_id: said?.mid, reaction: "love" } });
  expect(said?.reactions.account).toEqual({ reaction: "love" });
  await act("unreact", { payload: { message_id: said?.mid } });
  expect(said?.reactions.account).toBeUndefined();
  expect((await act("react", { payload: { message_id: "m_x", reaction: "love" } })).status).toBe(400);
});

it("the window closes after 24 hours; HUMAN_AGENT has seven days, with its right alone", async () => {
  const { send, clock, emulator } = await open();
  const tagged = { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" };
  clock.jump(DAY_MS);
  expect((await send({ text: "late" })).body.error).toMatchObject({
    code: 10,
    error_subcode: 2018278,
    message: expect.stringContaining("(#10) This message is sent outside of allowed window."),
  });
  expect((await send({ text: "late" }, tagged)).status).toBe(200);
  expect((await send({ text: "late" }, { ...tagged, tag: "ACCOUNT_UPDATE" })).body.error.code).toBe(100);
  emulator.core.tokens.find(TOKEN)?.rights.delete("human_agent");
  expect((await send({ text: "late" }, tagged)).body.error).toMatchObject({ code: 10, error_subcode: 2018276 });
  emulator.core.tokens.find(TOKEN)?.rights.add("human_agent");
  clock.jump(6 * DAY_MS);
  expect((await send({ text: "late" }, tagged)).body.error).toMatchObject({ code: 10, error_subcode: 2018278 });
});

it("unknown, blocking, muted and gone people, and a restricted page, are refused by their codes", async () => {
  const { send, chat, person, call } = await open();
  const codes = async (more: object = {}) => {
    const { error } = (await send({ text: "x" }, more)).body;
    return error && [error.code, error.error_subcode];
  };
  expect(await codes({ recipient: { id: "12345678901234567" } })).toEqual([100, 2018001]);
  const flags = (body: object) => call("PATCH", "/control/chats", { body: { account: PAGE.id, person: 1, ...body } });
  await flags({ isBlocked: true });
  expect(await codes()).toEqual([551, 1545041]);
  await flags({ isBlocked: false, isMuted: true });
  expect(await codes()).toEqual([10, 2018108]);
  await flags({ isMuted: false });
  person.isGone = true;
  expect(await codes()).toEqual([551, 1545041]);
  person.isGone = false;
  await call("PATCH", `/control/accounts/${PAGE.id}`, { body: { restriction: "1893063" } });
  expect(await codes()).toEqual([10, 1893063]);
  await call("PATCH", `/control/accounts/${PAGE.id}`, { body: { restriction: "368" } });
  expect(await codes()).toEqual([368, undefined]);
  expect(chat.messages).toHaveLength(1);
});

it("tokens that end, lack a right or belong to another page are refused as Graph does", async () => {
  const { emulator, send, call, chat } = await open();
  const token = emulator.core.tokens.find(TOKEN);
  if (!token) throw new Error("The demo has a token");
  const error = async () => (await send({ text: "x" })).body.error;
  token.ended = "session";
  expect(await error()).toMatchObject({ code: 190, error_subcode: 460 });
  token.ended = "app";
  expect(await error()).toMatchObject({ code: 190, error_subcode: 458 });
  token.ended = undefined;
  token.expiresAt = 1;
  expect(await error()).toMatchObject({ code: 190, error_subcode: 463, type: "OAuthException" });
  token.expiresAt = undefined;
  token.rights.delete("pages_messaging");
  expect(await error()).toMatchObject({ code: 200 });
  const body = { recipient: { id: chat.scopedId }, message: { text: "x" } };
  for (const id of [PAGE.id, FOREIGN_PAGE.id]) {
    const { error } = (await call("POST", `/v23.0/${id}/messages`, { token: SECOND_TOKEN, body })).body;
    expect(error).toMatchObject({ code: 100, error_subcode: 33, type: "GraphMethodException" });
  }
  expect((await call("POST", `/v23.0/${PAGE.id}/messages`, { token: "EAAforged", body })).body.error.code).toBe(190);
});

it("an eleventh video within a second is too many; use is told in the headers", async () => {
  const { send, files } = await open();
  const video = new Response(Buffer.from("\0\0\0\x18ftypmp42video"), { headers: { "content-type": "video/mp4" } });
  files.set("https://files.test/v.mp4", video);
  const message = { attachment: { type: "video", payload: { url: "https://files.test/v.mp4" } } };
  for (let n = 0; n < 10; n += 1) expect((await send(message)).status).toBe(200);
  expect((await send(message)).body.error).toMatchObject({ code: 613, error_subcode: 1893016 });
  const { headers } = await send({ text: "texts have their own limit" });
  expect(JSON.parse(headers.get("x-app-usage") ?? "")).toHaveProperty("call_count");
  expect(JSON.parse(headers.get("x-business-use-case-usage") ?? "")[PAGE.id]).toMatchObject([{ type: "messenger" }]);
});

it("planned faults answer in Graph's words: rate limits, a lost answer, an overload", async () => {
  const { emulator, send, call, chat } = await open();
  for (const [code, subcode] of [[4], [613], [32], [1, 1357046], [1200, 2018024], [200, 1545041]] as const) {
    await call("POST", "/control/faults", { body: { operation: "send", code, ...(subcode && { subcode }) } });
    expect((await send({ text: "x" })).body.error).toMatchObject({ code, message: expect.any(String) });
  }
  emulator.core.faults.plan({ operation: "send", when: "after", status: 500 });
  expect((await send({ text: "sent all the same" })).status).toBe(500);
  expect(chat.messages.at(-1)?.text).toBe("sent all the same");
});

it("a proof of the app's secret counts if it is given", async () => {
  const { call, chat } = await open();
  const path = (proof: string) => `/v23.0/${PAGE.id}/messages?appsecret_proof=${proof}`;
  const body = { recipient: { id: chat.scopedId }, message: { text: "x" } };
  const right = createHmac("sha256", DEMO_APP.secret).update(TOKEN).digest("hex");
  expect((await call("POST", path(right), { token: TOKEN, body })).status).toBe(200);
  expect((await call("POST", path("0".repeat(64)), { token: TOKEN, body })).body.error).toMatchObject({ code: 100 });
});
