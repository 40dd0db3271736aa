import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { expect, it } from "vitest";
import { ACCOUNT, FOREIGN_ACCOUNT, TOKEN } from "../../emulator/emulator.ts";
import { account } from "./account.ts";

const DAY_MS = 86_400_000;

async function open() {
  const module = await account();
  await module.emulator.customers.says(module.chat, { text: "Hi" });
  return module;
}

it("a text has at most 1,000 bytes, however few characters these are", async () => {
  const { send } = await open();
  expect((await send({ text: "ñ".repeat(500) })).status).toBe(200);
  expect((await send({ text: "ñ".repeat(501) })).body.error).toMatchObject({
    code: 100,
    message: "(#100) Length of param message[text] must be less than or equal to 1000",
  });
});

it("a message is one text or one file: no grid, no Messenger buttons", async () => {
  const { send } = await open();
  const image = { type: "image", payload: { url: "https://files.test/a" } };
  const phone = { type: "phone_number", title: "Call", payload: "+15550100" };
  const template = (buttons: object[]) => ({
    type: "template",
    payload: { template_type: "button", text: "x", buttons },
  });
  expect((await send({ attachments: [image, image] })).body.error.message).toContain("attachments");
  expect((await send({ text: "x", attachment: image })).body.error.code).toBe(100);
  expect((await send({ attachment: template([phone]) })).body.error.code).toBe(100);
  expect((await send({ attachment: template([{ type: "postback", title: "Buy", payload: "BUY" }]) })).status).toBe(200);
  expect((await send({ text: "x", quick_replies: [{ content_type: "user_email" }] })).body.error.code).toBe(100);
});

it("pictures are JPEG, PNG or GIF of 8 MB, files are PDF, and no audio is Ogg", async () => {
  const { send, files } = await open();
  const given: [type: string, bytes: Uint8Array, mediaType: string, wanted: number | undefined][] = [
    ["image", paintPng(2, 2, [1, 2, 3]), "image/png", undefined],
    ["image", Buffer.from("RIFF\0\0\0\0WEBPVP8 "), "image/webp", 2018047],
    ["image", Buffer.concat([paintPng(2, 2, [1, 2, 3]), Buffer.alloc(8 * 1024 * 1024)]), "image/png", 2018109],
    ["file", Buffer.from("%PDF-1.7"), "application/pdf", undefined],
    ["file", Buffer.from("PK\x03\x04"), "application/zip", 2018047],
    ["audio", Buffer.from("OggS\0\x02"), "audio/ogg", 2018047],
    ["audio", Buffer.from("\0\0\0\x18ftypM4A mp42"), "audio/mp4", undefined],
  ];
  for (const [type, bytes, mediaType, wanted] of given) {
    const url = `https://files.test/${type}`;
    files.set(url, new Response(Uint8Array.from(bytes), { headers: { "content-type": mediaType } }));
    const { body } = await send({ attachment: { type, payload: { url } } });
    expect(body.error?.error_subcode, `${type} ${mediaType}`).toBe(wanted);
  }
});

it("the window closes after 24 hours, HUMAN_AGENT's after seven days, in Instagram's own sub code", async () => {
  const { send, clock } = await open();
  const tagged = { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" };
  clock.jump(DAY_MS);
  expect((await send({ text: "late" })).body.error).toMatchObject({ code: 10, error_subcode: 2534022 });
  expect((await send({ text: "late" }, tagged)).status).toBe(200);
  clock.jump(6 * DAY_MS);
  expect((await send({ text: "late" }, tagged)).body.error).toMatchObject({ code: 10, error_subcode: 2534022 });
});

it("the account and a customer who has written have profiles; a stranger's and a foreign account's are hidden", async () => {
  const { call, chat, emulator, account: owner } = await open();
  const get = (path: string) => call("GET", `/v23.0/${path}`, { token: TOKEN });
  const { body } = await get("me?fields=user_id,username,name,profile_picture_url,account_type");
  expect(body).toMatchObject({ user_id: ACCOUNT.id, username: ACCOUNT.username, account_type: "BUSINESS" });
  const fields = "name,username,profile_pic,follower_count,is_user_follow_business,is_business_follow_user";
  const profile = await get(`${chat.scopedId}?fields=${fields}`);
  expect(profile.body).toMatchObject({ id: chat.scopedId, name: "Ada Reyes", profile_pic: expect.any(String) });
  expect((await get(`${chat.scopedId}?fields=email`)).body.error.code).toBe(100);
  const stranger = emulator.platform.world.people[1];
  if (!stranger) throw new Error("There are two people");
  expect((await get(emulator.customers.chat(owner, stranger).scopedId)).body.error.error_subcode).toBe(2018218);
  expect((await get(FOREIGN_ACCOUNT.id)).body.error.error_subcode).toBe(33);
  expect((await get(`${ACCOUNT.id}/conversations?platform=instagram`)).body.data).toHaveLength(1);
});
