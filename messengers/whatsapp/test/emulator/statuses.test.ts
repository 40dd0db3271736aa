import { describe, expect, it } from "vitest";
import { goOnline, openChat, prefer } from "../../emulator/acts.ts";
import { ACCOUNT_ID } from "../../emulator/seed.ts";
import { TEMPLATE } from "./scene.ts";
import { opened } from "./stage.ts";

async function written() {
  const stage = await opened();
  await stage.emulator.says("hello");
  const named = () => stage.statuses().map(({ status }) => status);
  return { ...stage, named };
}

describe("statuses", () => {
  it("wait while the customer is offline, and come when they are back", async () => {
    const { network, robin, chat, text, idle, named } = await written();
    await goOnline(network, robin, false);
    await text();
    await idle();
    expect(named()).toEqual(["sent"]);
    await goOnline(network, robin, true);
    await openChat(network, chat);
    expect(named()).toEqual(["sent", "delivered", "read"]);
  });

  it("never pass `sent` for a customer who has blocked the number", async () => {
    const { control, text, idle, named } = await written();
    await control("PATCH", "customers/1", { blocks: true });
    await text();
    await idle();
    expect(named()).toEqual(["sent"]);
  });

  it("fail late after a 200, by a planned outcome", async () => {
    const { control, text, idle, statuses } = await written();
    await control("POST", "faults", { operation: "outcome", code: 131049 });
    expect((await text("x", { biz_opaque_callback_data: "job" })).status).toBe(200);
    await idle();
    expect(statuses()).toMatchObject([
      { status: "failed", biz_opaque_callback_data: "job", errors: [{ code: 131049, href: expect.any(String) }] },
    ]);
  });

  it("come in any order by hand, `failed` after `read` too", async () => {
    const { network, control, text, named, chat } = await written();
    network.switches.set({ outcome: "hand" });
    const { id } = (await text()).body.messages[0];
    for (const status of ["read", "sent", "delivered"]) await control("POST", `messages/${id}/status`, { status });
    expect(chat.messages.at(-1)?.status).toBe("read");
    await control("POST", `messages/${id}/status`, { status: "failed", code: 131026 });
    expect(named()).toEqual(["read", "sent", "delivered", "failed"]);
  });

  it("fail for somebody who does not use WhatsApp", async () => {
    const { send, idle, statuses } = await written();
    const { body } = await send({ to: "+1 555 010 9999", type: "text", text: { body: "?" } });
    expect(body.contacts).toEqual([{ input: "+1 555 010 9999", wa_id: "15550109999" }]);
    await idle();
    expect(statuses()).toMatchObject([{ status: "failed", errors: [{ code: 131026 }] }]);
  });

  it("fail for a marketing template after the customer's opt-out, until they resume", async () => {
    const { network, ask, chat, send, idle, statuses, values } = await written();
    await ask("POST", `${ACCOUNT_ID}/message_templates`, { ...TEMPLATE, category: "MARKETING" });
    await idle();
    const components = [{ type: "body", parameters: [{ type: "text", text: "Robin" }] }];
    const template = { name: TEMPLATE.name, language: { code: TEMPLATE.language }, components };
    await prefer(network, chat, "stop");
    await send({ type: "template", template });
    await idle();
    await prefer(network, chat, "resume");
    await send({ type: "template", template });
    await idle();
    expect(statuses().map(({ status, errors }) => errors?.[0]?.code ?? status)).toEqual([131050, "sent", "delivered"]);
    expect(values("user_preferences")).toMatchObject([
      { user_preferences: [{ category: "marketing_messages", value: "stop" }] },
      { user_preferences: [{ value: "resume" }] },
    ]);
  });
});
