import { describe, expect, it } from "vitest";
import { METHOD_NAMES } from "../../emulator/calling.ts";
import { REFUSED_METHODS, SERVED_METHODS } from "../../emulator/catalogue.ts";
import { HARBOUR_BOT_TOKEN } from "../../emulator/telegram.ts";
import { opened, ROBIN } from "./stage.ts";

type Heard = { message: { text?: string; document: { file_id: string } } }[];

describe("a method", () => {
  it("that is listed as served is carried out, and no other", () => {
    expect([...METHOD_NAMES].sort()).toEqual([...SERVED_METHODS].sort());
  });

  it("is known by its older name", async () => {
    const { call, refusal } = await opened();
    expect((await call("getChatMembersCount", { chat_id: ROBIN })).result).toBe(2);
    expect(await refusal("kickChatMember")).toContain("the sandbox does not serve banChatMember");
    expect(await refusal("setStickerSetThumb")).toContain("setStickerSetThumbnail");
  });

  it("that is not served is refused by its name, and the log says so", async () => {
    const { refusal, control } = await opened();
    for (const name of REFUSED_METHODS)
      expect(await refusal(name)).toBe(`404 Not Found: method not found: the sandbox does not serve ${name}`);
    const { entries } = (await (await control("calls", "GET")).json()) as {
      entries: { method: string; status: number; faults: string[] }[];
    };
    expect(entries.map(({ method }) => method)).toEqual(REFUSED_METHODS);
    expect(entries[0]).toMatchObject({ status: 404, faults: ["addStickerToSet: the sandbox does not serve it"] });
  });
});

describe("the test environment", () => {
  it("is reached below the token, by bots of its own", async () => {
    const { origin, phone } = await opened();
    const made = await fetch(`${origin}/phone/api/bots`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "trial_bot", name: "Trial", isTest: true }),
    });
    const { id, token } = (await made.json()) as { id: number; token: string };
    const get = async (path: string) => {
      const answer = await fetch(`${origin}${path}`);
      return [answer.status, await answer.json()];
    };
    expect(await get(`/bot${token}/test/getMe`)).toMatchObject([200, { result: { username: "trial_bot" } }]);
    expect(await get(`/bot${token}/getMe`)).toMatchObject([401, { description: "Unauthorized" }]);
    expect(await get(`/bot${HARBOUR_BOT_TOKEN}/test/getMe`)).toMatchObject([401, { description: "Unauthorized" }]);
    expect(await get(`/bot${token}/test/getNothing`)).toMatchObject([
      404,
      { description: "Not Found: method not found" },
    ]);
    phone.send(ROBIN, id, { text: "hello" });
    expect(await get(`/bot${token}/test/getUpdates`)).toMatchObject([
      200,
      { result: [{ message: { text: "hello" } }] },
    ]);
  });

  it("has its files below the token as well", async () => {
    const { origin, world, phone } = await opened();
    const made = await fetch(`${origin}/phone/api/bots`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "trial_bot", name: "Trial", isTest: true }),
    });
    const { id, token } = (await made.json()) as { id: number; token: string };
    const { key } = world.files.add({ name: "a.txt", mediaType: "text/plain", bytes: Buffer.from("a text") });
    phone.send(ROBIN, id, { media: [{ kind: "document", file: key }] });
    const get = async <T>(method: string) =>
      ((await (await fetch(`${origin}/bot${token}/test/${method}`)).json()) as { result: T }).result;
    const [heard] = await get<Heard>("getUpdates");
    const { file_path } = await get<{ file_path: string }>(`getFile?file_id=${heard?.message.document.file_id}`);
    expect(await (await fetch(`${origin}/file/bot${token}/test/${file_path}`)).text()).toBe("a text");
    expect((await fetch(`${origin}/file/bot${token}/${file_path}`)).status).toBe(401);
  });
});
