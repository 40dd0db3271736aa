import { PICTURE } from "gangway-messenger/kit/sending";
import { expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { createEmulator } from "../../emulator/emulator.ts";

const phone = () => {
  const options = { origin: () => "https://vk.example", clock: handClock(), deliver: async () => new Response("ok") };
  const emulator = createEmulator(options);
  const look = async (path = "/phone") => (await emulator.site.request(path)).text();
  const act = async (fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return emulator.site.request("/phone", { method: "POST", body });
  };
  return { emulator, look, act };
};

it("a person writes, answers, edits, reacts and forbids on the phone's page", async () => {
  const { emulator, look, act } = phone();
  const first = await look();
  expect(first).toContain("Ada Reyes writes to Sandbox Shop");
  // Every community can be written to from the page itself.
  const [, other = ""] = /href="([^"]*community=2[^"]*)"/.exec(first) ?? [];
  expect(await look(other.replaceAll("&amp;", "&"))).toContain("Ada Reyes writes to Sandbox Outlet");
  expect((await act({ text: "Hello" })).status).toBe(303);
  await act({ text: "and this", file: new File([PICTURE], "a.png", { type: "image/png" }), reply: "1" });
  await act({ do: "edit", cmid: "1", text: "Hello there" });
  await act({ do: "staff", text: "From the staff" });
  await act({ do: "react", cmid: "3" });
  await act({ do: "read" });
  const chat = emulator.chat();
  expect(chat.messages.map(({ text, attachments }) => [text, attachments.length])).toEqual([
    ["Hello there", 0],
    ["and this", 1],
    ["From the staff", 0],
  ]);
  expect([chat.messages[2]?.reactions.customer, chat.readBy.customer]).toEqual([1, 3]);
  const messages = await look("/phone/messages");
  for (const words of ["Hello there", "(edited)", "<q>Hello there</q>", "The staff:", "Take ❤ back"])
    expect(messages).toContain(words);
  await act({ do: "expire" });
  await act({ do: "deny" });
  expect([chat.isExpired, chat.isAllowed]).toEqual([true, false]);
  expect(await (await act({ text: "" })).text()).toBe("Write something or choose a file");
});

it("control plays customers, staff and VK itself", async () => {
  const { emulator } = phone();
  const ask = async (method: string, path: string, body?: object) => {
    const init = {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    };
    return (await emulator.site.request(`/control${path}`, init)).json();
  };
  expect(await ask("POST", "/customer", { text: "hi" })).toEqual({ cmid: 1 });
  expect(await ask("POST", "/staff", { text: "hello" })).toEqual({ cmid: 2 });
  expect(await ask("PUT", "/settings", { withheld: 0.05 })).toMatchObject({ withheld: 0.05, callsPerSecond: 20 });
  expect(await ask("PUT", "/settings", { withheld: 2 })).toEqual({ error: expect.stringContaining("withheld") });
  await ask("PATCH", "/chats", { isBlocked: true });
  expect(emulator.chat().isBlocked).toBe(true);
  await ask("POST", "/faults", { operation: "messages.send", code: 6 });
  expect(await ask("GET", "/faults")).toMatchObject({ plans: [{ operation: "messages.send", code: 6 }] });
  expect(await ask("POST", "/faults", { operation: "messages.fly" })).toEqual({
    error: "Unknown operation messages.fly",
  });
  await ask("DELETE", "/faults");
  await ask("PATCH", `/tokens/${emulator.channel().settings.token}`, { isEnded: true });
  expect(emulator.core.world.tokens[0]?.isEnded).toBe(true);
  await ask("POST", "/clear", {});
  expect(await ask("GET", "/chats")).toEqual([]);
});
