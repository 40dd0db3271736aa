import type { CustomerId } from "gangway-messenger/ids";
import { PICTURE } from "gangway-messenger/kit/sending";
import { describe, expect, it } from "vitest";
import telegram, { avatars } from "../../src/index.ts";
import { fresh, openStage } from "../unit/stage.ts";

async function sentFile(bytes: Uint8Array) {
  const stage = await openStage();
  const headers = { "content-type": "application/pdf", "x-file-name": "terms.pdf" };
  const init = { method: "POST", headers, body: new Blob([new Uint8Array(bytes)]) };
  const { id } = (await (await fetch(`${stage.origin}/phone/api/files`, init)).json()) as { id: string };
  stage.telegram.phone.send(stage.person, stage.bot.id, { media: [{ kind: "document", file: id }] });
  const post = [...stage.telegram.world.rooms.values()].flatMap((room) => [...room.posts.values()]).at(-1);
  const { document } = (post?.message ?? {}) as { document?: { file_id: string } };
  return { ...stage, session: telegram.open(stage.context), ref: document?.file_id ?? "" };
}

describe("a customer's file", () => {
  it("is handed to the gateway as bytes, never as an address that holds the token", async () => {
    const { session, ref, bot } = await sentFile(Buffer.from("the terms"));
    const open = await session.files?.open(ref, fresh());
    expect(await new Response(open?.body).text()).toBe("the terms");
    const { body: _, ...told } = open ?? {};
    expect(JSON.stringify(told)).not.toContain(bot.token.split(":")[1]);
  });

  it("that a bot cannot fetch is refused for good", async () => {
    const { session, ref } = await sentFile(Buffer.alloc(20 * 1024 * 1024 + 1));
    await expect(session.files?.open(ref, fresh())).rejects.toMatchObject({ verdict: { type: "reject" } });
  });
});

describe("a customer's picture", () => {
  it("is found where they have one, and known again as long as it is the same", async () => {
    const { api, telegram: emulator, context } = await openStage();
    const people = [...emulator.world.people.values()];
    const find = (hasPhoto: boolean) => people.find((person) => person.hasPhoto === hasPhoto)?.id;
    const customer = String(find(true)) as CustomerId;
    const first = await avatars(api).find(customer, fresh());
    const again = await avatars(api).find(customer, fresh());
    expect(first?.version).toBe(again?.version);
    const open = await telegram.open(context).files?.open(first?.ref ?? "", fresh());
    expect((await new Response(open?.body).arrayBuffer()).byteLength).toBeGreaterThan(PICTURE.length / 2);
    expect(await avatars(api).find(String(find(false)) as CustomerId, fresh())).toBeUndefined();
    expect(await avatars(api).find("-1001" as CustomerId, fresh())).toBeUndefined();
    expect(emulator.calls.list().entries.flatMap(({ faults }) => faults)).toEqual([]);
  });
});
