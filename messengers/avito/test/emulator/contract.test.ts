import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { describe, expect, it } from "vitest";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { SHOP } from "../../emulator/emulator.ts";
import { samples } from "../../samples/samples.ts";
import { fresh, talking } from "../stage.ts";
import { shop } from "./shop.ts";

const judge = contractJudge("avito");
type Stage = Awaited<ReturnType<typeof shop>>;

const PNG = paintPng(4, 4, [1, 2, 3]);

async function customerDoes({ emulator, chat }: Stage): Promise<void> {
  const { customers } = emulator;
  const first = await customers.says(chat, { text: "hello" });
  await customers.says(chat, { text: "again", quote: first.id });
  await customers.says(chat, { image: PNG });
  await customers.says(chat, { voice: Buffer.from("voice") });
  // Those that the published document has in one field of the content each.
  for (const { body } of Object.values(samples)) {
    const { type, content } = (
      body as { payload: { value: { type: string; content: Record<string, unknown> | null } } }
    ).payload.value;
    const isKnown = ["link", "item", "location", "call", "appCall", "file", "video"].includes(type);
    if (isKnown && content) await customers.says(chat, { type, content });
  }
  await customers.staffSays(chat, "from staff");
  await customers.avitoSays(chat.account, "Скидки!", chat);
  await customers.avitoSays(chat.account, "Ваш тариф продлён");
  await customers.deletes(chat, first);
  customers.reads(chat);
}

async function accountDoes({ call, at, text, send, upload, emulator, grant }: Stage): Promise<void> {
  const get = (path: string) => call("GET", path);
  const account = `/messenger/v2/accounts/${SHOP.id}`;
  const { id } = (await text("see https://shop.example/")).body;
  const [image_id] = Object.keys((await upload(PNG)).body);
  await call("POST", at(1, "/messages/image"), { image_id });
  await call("POST", at(1, `/messages/${id}`));
  await call("POST", at(1, "/read"));
  for (const query of ["", "?chat_types=u2i,u2u,a2u&limit=100", "?limit=0"]) await get(`${account}/chats${query}`);
  await get(at(2, ""));
  await get(at(2, "x"));
  await get(at(3, "/messages/"));
  const voice = [...emulator.world.voices.keys()][0];
  await get(`/messenger/v1/accounts/${SHOP.id}/getVoiceFiles?voice_ids=${voice}`);
  await get("/core/v1/accounts/self");
  await call("POST", "/messenger/v1/subscriptions");
  await send({ type: "text", message: { text: "" } });
  await upload(Buffer.from("no picture"));
  await call("GET", at(2, ""), undefined, "Bearer x");
  await grant({ grant_type: "client_credentials", client_id: SHOP.clientId, client_secret: "x" });
  await call("POST", "/messenger/v1/webhook/unsubscribe", { url: "http://module.test/hook" });
}

describe.skipIf(!judge)("beside the published contract", () => {
  it.each([
    { messages: "array", quotes: "list", links: "text" },
    { messages: "object", quotes: "webhook", links: "link" },
  ])("all of the emulated Avito's traffic fits it: %o", async (switches) => {
    const stage = await shop();
    stage.emulator.switches.set(switches);
    await customerDoes(stage);
    await accountDoes(stage);
    const entries = stage.emulator.journal.entries();
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
    expect(entries.filter(({ kind }) => kind === "webhook").length).toBeGreaterThan(20);
    expect(new Set(entries.map(({ operation }) => operation)).size).toBe(15);
  });

  it("so does the whole traffic with the adapter", async () => {
    const all = await talking();
    const { emulator, chat, session, send, sent, atGateway, context } = all;
    await emulator.customers.says(chat, { text: "hello" });
    const { content } = await emulator.customers.says(chat, { voice: Buffer.from("voice") });
    await send({}, "a");
    atGateway.set("f1", () => ({
      body: new Blob([Uint8Array.from(PNG)]).stream(),
      mediaType: "image/png",
      name: "a.png",
      size: PNG.length,
    }));
    await send({ kind: "image", text: "", files: [{ file: { at: "gateway", id: "f1" as never } }] }, "b");
    emulator.faults.plan({ operation: "postSendMessage", status: 500, when: "after" });
    await send({}, "c").catch(() => {});
    await context.notes.set([{ key: "posted:c", value: "" }]);
    await session.lookup?.(all.step(), { ...all.target("c"), since: context.clock.now() }, fresh());
    const ref = { chat: chat.id as never, messengerMessageId: (sent()[0]?.id ?? "") as never };
    await session.readMarks?.read(ref, fresh());
    await session.revisions?.delete(ref, fresh());
    const { voice_id } = content.voice as { voice_id: string };
    await session.files?.open(`voice:${voice_id}`, fresh());
    for (let after: string | undefined, more = true; more; more = after !== undefined)
      after = (await session.list?.(0, after, fresh()))?.next;
    await session.inspect?.(fresh());
    await session.standing?.(fresh());
    await session.disconnect(fresh());
    const entries = emulator.journal.entries();
    expect(new Set(entries.map(({ operation }) => operation)).size).toBe(15);
    expect(entries.filter(({ kind, status }) => kind === "call" && status >= 400)).toEqual([]);
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
  });
});
