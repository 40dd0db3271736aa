import { describe, expect, it, onTestFinished } from "vitest";
import { createSandbox } from "../../../../sandbox/src/sandbox.ts";
import { HARBOUR_BOT_TOKEN } from "../../emulator/telegram.ts";
import { HARBOUR, ROBIN } from "./stage.ts";

type Heard = { message: { text?: string; document: { file_id: string } } }[];

describe("the Bot API's address", () => {
  async function rooted() {
    const sandbox = createSandbox({ origin: () => "http://sandbox", now: Date.now });
    onTestFinished(sandbox.stop);
    const { phone, world } = sandbox.telegram;
    phone.send(ROBIN, HARBOUR, { text: "hello" });
    const { key } = world.files.add({ name: "a.txt", mediaType: "text/plain", bytes: Buffer.from("a text") });
    phone.send(ROBIN, HARBOUR, { media: [{ kind: "document", file: key }] });
    const get = (path: string) => sandbox.fetch(new Request(`http://sandbox${path}`), {});
    return { sandbox, get };
  }

  it.each(["", "/telegram"])("is the sandbox's own with the path '%s', for calls and files alike", async (root) => {
    const { sandbox, get } = await rooted();
    const bot = `${root}/bot${HARBOUR_BOT_TOKEN}`;
    const ask = async <T>(method: string) => ((await (await get(`${bot}/${method}`)).json()) as { result: T }).result;
    const updates = await ask<Heard>("getUpdates");
    expect(updates).toMatchObject([{ message: { text: "hello" } }, { message: {} }]);
    const { file_path } = await ask<{ file_path: string }>(`getFile?file_id=${updates[1]?.message.document.file_id}`);
    const file = await get(`${root}/file/bot${HARBOUR_BOT_TOKEN}/${file_path}`);
    expect(await file.text()).toBe("a text");
    const wrong = await get(`${root}/bot${HARBOUR}:${"x".repeat(35)}/getMe`);
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { description: "Unauthorized" }]);
    expect(sandbox.telegram.calls.list().total).toBe(2);
  });

  it("at the root leaves the sandbox's other routes unchanged", async () => {
    const { get } = await rooted();
    expect((await get("/phone")).headers.get("content-type")).toContain("text/html");
    expect((await get("/api/bot/v1/bots")).status).toBe(401);
    expect(await (await get("/telegram")).json()).toEqual({ apiRoot: "http://sandbox/telegram" });
  });
});
