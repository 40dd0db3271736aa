import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { expect, it } from "vitest";
import { shop } from "./shop.ts";

const AT = "?account=141906442&person=1&item=1768287444";

it("the page writes, sends pictures, voice messages and what the API does not pass on, reads, blocks and deletes", async () => {
  const { emulator, values, text, chat } = await shop();
  const page = async (path: string) => (await emulator.site.request(`/phone${path}`)).text();
  const does = (fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return emulator.site.request(`/phone${AT}`, { method: "POST", body });
  };
  expect((await does({ text: "Is it <b>red</b>?" })).headers.get("location")).toBe(`/phone${AT}`);
  await does({ file: new File([Uint8Array.from(paintPng(2, 2, [1, 2, 3]))], "a.png", { type: "image/png" }) });
  for (const name of ["picture", "voice", "place", "call", "video"]) await does({ do: name });
  await does({ do: "delete", id: chat.messages[0]?.id ?? "" });
  expect(values().map(({ type }) => type)).toEqual([
    "text",
    "image",
    "image",
    "voice",
    "location",
    "call",
    "video",
    "deleted",
  ]);
  await text("It is <i>blue</i>");
  await does({ do: "read" });
  expect(chat.messages.at(-1)?.readAt).toBeGreaterThan(0);
  await does({ do: "block" });
  expect((await text("more")).status).toBe(403);
  const shown = await page(`/messages${AT}`);
  expect(shown).toContain("You deleted a message");
  expect(shown).toContain("It is &lt;i&gt;blue&lt;/i&gt;");
  expect(shown).toContain('alt="sent"');
  const frame = await page(AT);
  // Every seller can be written to from the page itself.
  const [, other = ""] = /href="\/phone([^"]*account=94235311[^"]*)"/.exec(frame) ?? [];
  expect(await page(other.replaceAll("&amp;", "&"))).toContain("Ирина writes to Sandbox Outlet");
  for (const words of ["Ирина writes to Sandbox Garage", "Guldan", "Mazda 3 2008, 300 000 ₽", "Шины R16", "Unblock"])
    expect(frame).toContain(words);
  expect((await does({ text: "" })).status).toBe(400);
  expect(await page("?person=9")).toBe("There is no person 9");
});
