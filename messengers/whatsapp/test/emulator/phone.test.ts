import { describe, expect, it } from "vitest";
import { COEXISTENCE_ID, NUMBER_ID } from "../../emulator/seed.ts";
import { BUTTONS, FILES, LIST } from "./scene.ts";
import { opened } from "./stage.ts";

async function held(number = NUMBER_ID) {
  const stage = await opened();
  const at = `/phone?number=${number}&customer=1`;
  const act = async (fields: Record<string, string | File>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const answer = await stage.emulator.site.request(at, { method: "POST", body: form });
    if (answer.status !== 303) throw new Error(await answer.text());
  };
  const page = async (path = at) => (await stage.emulator.site.request(path)).text();
  const shown = () => page(at.replace("/phone", "/phone/messages"));
  const types = () => stage.messages().map(({ type }) => type);
  return { ...stage, act, page, shown, types };
}

describe("the phone's page", () => {
  it("sends words, files and all else that a customer can", async () => {
    const { act, types, shown } = await held();
    await act({ text: "hello <b>" });
    await act({ file: new File([FILES.document.bytes], "bill.pdf", { type: "application/pdf" }), text: "my bill" });
    for (const name of ["picture", "voice", "place", "contact", "order", "poll", "ad"]) await act({ do: name });
    expect(types()).toEqual([
      "text",
      "document",
      "image",
      "audio",
      "location",
      "contacts",
      "order",
      "unsupported",
      "text",
    ]);
    expect(await shown()).toContain("hello &lt;b&gt;");
  });

  it("presses buttons and rows, reacts, quotes, and shows what came", async () => {
    const { act, send, messages, shown, chat, idle } = await held();
    await act({ text: "hello" });
    for (const interactive of [BUTTONS, LIST]) await send({ type: "interactive", interactive });
    await idle();
    const [, buttons, list] = chat.messages;
    expect(await shown()).toContain("do=press&amp;button=yes");
    await act({ do: "press", button: "yes", id: buttons?.id ?? "" });
    await act({ do: "press", button: "row-1", id: list?.id ?? "" });
    await act({ do: "react", id: buttons?.id ?? "" });
    await act({ text: "this", reply: buttons?.id ?? "" });
    expect(messages().slice(1)).toMatchObject([
      { interactive: { type: "button_reply" }, context: { id: buttons?.id } },
      { interactive: { type: "list_reply" } },
      { reaction: { emoji: "❤️" } },
      { text: { body: "this" }, context: { id: buttons?.id, from: "15550100142" } },
    ]);
  });

  it("goes offline, so that statuses wait, and hides the phone number", async () => {
    const { act, text, statuses, messages, idle, shown, robin } = await held();
    await act({ text: "hello" });
    await act({ do: "online" });
    await text("are you there?");
    await idle();
    expect(statuses().map(({ status }) => status)).toEqual(["sent"]);
    expect(await shown()).not.toContain("are you there?");
    await act({ do: "online" });
    await act({ do: "read" });
    expect(statuses().map(({ status }) => status)).toEqual(["sent", "delivered", "read"]);
    await act({ do: "hide" });
    await act({ text: "without a number" });
    expect(messages().at(-1)).not.toHaveProperty("from");
    expect(messages().at(-1)).toMatchObject({ from_user_id: robin.userId });
  });

  it("edits and deletes where the business app hears of it, and plays its staff", async () => {
    const { act, types, values, world } = await held(COEXISTENCE_ID);
    await act({ text: "first" });
    const [said] = [...world.messages.values()];
    const id = said?.message.id ?? "";
    await act({ do: "edit", id, text: "second" });
    await act({ do: "revoke", id });
    await act({ do: "staff", text: "from the app" });
    expect(types()).toEqual(["text", "edit", "revoke"]);
    expect(values("smb_message_echoes")).toMatchObject([
      { message_echoes: [{ type: "text", text: { body: "from the app" } }] },
    ]);
  });

  it("tells a business of no deletion otherwise", async () => {
    const { act, types, world } = await held();
    await act({ text: "first" });
    await act({ do: "revoke", id: [...world.messages.keys()][0] ?? "" });
    expect(types()).toEqual(["text"]);
  });

  it("shows each number and customer, and adds one", async () => {
    const { act, page, world } = await held();
    await act({ do: "join", name: "Ada", phone: "+1 555 010 0055" });
    expect(world.customers.at(-1)).toMatchObject({ name: "Ada", phone: "15550100055" });
    const shown = await page();
    for (const words of ["Ada", "Wren", "Quay workshop", "Window closed"]) expect(shown).toContain(words);
  });
});
