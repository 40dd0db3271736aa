import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { expect, it } from "vitest";
import { ACCOUNT, APP, TOKEN } from "../../emulator/emulator.ts";
import { account } from "./account.ts";

const picture = (type: string, payload = {}) => ({
  type,
  name: "story.png",
  mediaType: "image/png",
  bytes: paintPng(2, 2, [1, 2, 3]),
  payload,
});

it("a customer's text comes signed with the Instagram app's own secret", async () => {
  const { emulator, chat, bodies } = await account();
  const { mid, at } = await emulator.customers.says(chat, { text: "Hola" });
  const parties = { sender: { id: chat.scopedId }, recipient: { id: ACCOUNT.id } };
  expect(bodies).toMatchObject([
    {
      object: "instagram",
      entry: [{ id: ACCOUNT.id, messaging: [{ ...parties, timestamp: at, message: { mid, text: "Hola" } }] }],
    },
  ]);
});

it("an echo names no app and no metadata, a read names its message, and nothing tells of a delivery", async () => {
  const { emulator, chat, events, send } = await account();
  await emulator.customers.says(chat, { text: "Hi" });
  const { body } = await send({ text: "Hello" });
  await emulator.customers.opens(chat);
  const [, echo, read, ...rest] = events();
  expect(echo?.message).toEqual({ is_echo: true, mid: body.message_id, text: "Hello" });
  expect(read?.read).toEqual({ mid: body.message_id });
  expect(rest).toEqual([]);
  await emulator.staffSays(chat, "From the app");
  expect(events().at(-1)?.message).toMatchObject({ is_echo: true, text: "From the app" });
});

it("a story's picture can be had for a day, and then is gone", async () => {
  const { emulator, chat, events, call, clock } = await account();
  await emulator.customers.says(chat, { files: [picture("story_mention")] });
  const [event] = events();
  const { attachments = [] } = (event?.message ?? {}) as { attachments?: { type: string; payload: { url: string } }[] };
  expect(attachments).toMatchObject([{ type: "story_mention" }]);
  const path = attachments[0]?.payload.url.replace("http://sandbox.test", "") ?? "";
  expect((await call("GET", path)).headers.get("content-type")).toBe("image/png");
  clock.jump(86_400_000);
  expect((await call("GET", path)).status).toBe(404);
});

it("shares, reels, posts, disappearing and unsupported messages have their own forms", async () => {
  const { emulator, chat, events } = await account();
  const { customers } = emulator;
  const url = "https://www.instagram.com/p/x";
  await customers.says(chat, { attachments: [{ type: "share", payload: { url } }] });
  await customers.says(chat, { attachments: [{ type: "ig_reel", payload: { url, title: "Reel", reel_video_id: 5 } }] });
  await customers.says(chat, { attachments: [{ type: "ig_post", payload: { url, ig_post_media_id: 6 } }] });
  await customers.says(chat, { attachments: [{ type: "ephemeral" }] });
  await customers.says(chat, { more: { is_unsupported: true } });
  await customers.says(chat, { text: "Wow", replyTo: { story: { id: "9", url } } });
  expect(events().map(({ message }) => message)).toMatchObject([
    { attachments: [{ type: "share" }] },
    { attachments: [{ type: "ig_reel", payload: { reel_video_id: 5 } }] },
    { attachments: [{ type: "ig_post", payload: { ig_post_media_id: 6 } }] },
    { attachments: [{ type: "ephemeral" }] },
    { is_unsupported: true },
    { text: "Wow", reply_to: { story: { id: "9", url } } },
  ]);
});

it("edits, unsends, reactions, icebreakers and quick replies come in their own events", async () => {
  const { emulator, chat, events } = await account();
  const { customers } = emulator;
  await customers.presses(chat, { title: "Where are you?", payload: "ICE_1" });
  const said = await customers.says(chat, { text: "Yes", quickReply: "YES" });
  await customers.edits(said, "Yes!");
  await customers.reacts(said, { reaction: "love", emoji: "❤" });
  await customers.unsends(said);
  await customers.arrives(chat, { ref: "bio", source: "IGME", type: "OPEN_THREAD" });
  const { mid } = said;
  expect(events()).toMatchObject([
    { postback: { title: "Where are you?", payload: "ICE_1", mid: expect.any(String) } },
    { message: { mid, quick_reply: { payload: "YES" } } },
    { message_edit: { mid, text: "Yes!", num_edit: 1 } },
    { reaction: { mid, action: "react", reaction: "love" } },
    { message: { mid, is_deleted: true } },
    { referral: { ref: "bio" } },
  ]);
});

it("a comment comes as a change, and can be answered in private once within seven days", async () => {
  const { emulator, account: owner, person, bodies, call, clock, events } = await account();
  const first = await emulator.customers.comments(owner, person, "Price?");
  expect(bodies.at(-1)?.entry).toMatchObject([
    {
      id: ACCOUNT.id,
      changes: [{ field: "comments", value: { id: first.id, text: "Price?", from: { username: person.username } } }],
    },
  ]);
  const reply = (comment_id: string) =>
    call("POST", "/v23.0/me/messages", { token: TOKEN, body: { recipient: { comment_id }, message: { text: "€40" } } });
  expect((await reply(first.id)).body).toMatchObject({
    recipient_id: expect.any(String),
    message_id: expect.any(String),
  });
  expect(events().at(-1)?.message).toMatchObject({ is_echo: true, text: "€40" });
  expect((await reply(first.id)).body.error.code).toBe(10900);
  const late = await emulator.customers.comments(owner, person, "Still?");
  clock.jump(7 * 86_400_000 + 1);
  expect((await reply(late.id)).body.error.code).toBe(10903);
});

it("the console's test event has no account and its time as text", async () => {
  const { call, bodies } = await account();
  await call("POST", `/control/apps/${APP.id}/test`, {});
  expect(bodies).toMatchObject([
    { entry: [{ id: "0", messaging: [{ timestamp: expect.stringMatching(/^\d{10}$/) }] }] },
  ]);
});

it("what Meta does not publish of reads and edits can be set", async () => {
  const { emulator, chat, events, send } = await account();
  emulator.core.switches.set({ reads: "watermark", editOfNew: true });
  const { mid } = await emulator.customers.says(chat, { text: "Hi" });
  expect(events()[1]).toMatchObject({ message_edit: { mid, text: "Hi", num_edit: 0 } });
  await send({ text: "Hello" });
  await emulator.customers.opens(chat);
  expect(events().at(-1)?.read).toEqual({ watermark: chat.messages.at(-1)?.at });
});

it("the phone mentions the account in a story, answers its story and comments", async () => {
  const { call, bodies, events } = await account();
  for (const doing of ["mention", "story", "comment"]) {
    const body = new FormData();
    body.set("do", doing);
    expect((await call("POST", "/phone", { body })).status).toBe(303);
  }
  expect(events().map(({ message }) => message)).toMatchObject([
    { attachments: [{ type: "story_mention" }] },
    { reply_to: { story: { id: expect.any(String) } } },
  ]);
  expect(bodies.at(-1)?.entry).toMatchObject([{ changes: [{ field: "comments" }] }]);
});
