import jsQR from "jsqr";
import { describe, expect, it } from "vitest";
import { openStage } from "../../../fuzz/stage.ts";

type Decode = typeof jsQR.default;
// The package's types describe its CommonJS module.
const decode = ((jsQR as { default?: Decode }).default ?? jsQR) as Decode;

/** What a phone reads from the page's code: each module drawn as 4 × 4 pixels. */
function scanned(page: string): string | undefined {
  const [, size = "0", path = ""] =
    /class="qr"[^>]* viewBox="0 0 (\d+) \d+".*?<path d="([^"]*)" fill="#000"/s.exec(page) ?? [];
  const width = Number(size) * 4;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let n = 0; n < 16; n += 1) {
      const at = ((Number(y) * 4 + (n >> 2)) * width + Number(x) * 4 + (n & 3)) * 4;
      pixels.fill(0, at, at + 3);
    }
  return decode(pixels, width, width)?.data;
}

describe("trying a messenger out", () => {
  it("leads a phone to the bot, by link and code", async () => {
    const stage = await openStage();
    const [, bot = ""] = stage.chat.ids;
    const look = async (path: string) =>
      (await stage.ask(`/account/channels/${path}`, { headers: { cookie: stage.cookie } })).text();
    const page = await look(bot);
    expect(page).toContain('<a href="https://t.me/harbour_bot">t.me/harbour_bot</a>');
    expect(scanned(page)).toBe("https://t.me/harbour_bot");
    expect(await look(`${bot}/try`)).toContain("no longer exists");
    await stage.close();
  });

  it("offers a page with the web chat, which may run there whatever sites are allowed", async () => {
    const stage = await openStage();
    const [chat = ""] = stage.chat.ids;
    const look = async (path: string) =>
      (await stage.ask(`/account/channels/${path}`, { headers: { cookie: stage.cookie } })).text();
    expect(await look(chat)).toContain(`/channels/${chat}/try"`);
    expect(await look(`${chat}/try`)).toContain(`data-channel="${stage.chat.door.slice(3)}"`);
    await stage.submit(
      `/account/channels/${chat}`,
      {
        formToken: stage.token,
        name: "Shop",
        "setting.title": "Shop",
        "setting.allowedOrigins": "https://shop.example",
      },
      { cookie: stage.cookie },
    );
    const open = async (origin: string) =>
      (await stage.ask(`${stage.chat.door}/open`, { method: "POST", headers: { origin }, body: "{}" })).status;
    const own = /src="(https?:\/\/[^/"]+)\/channels\/webchat/.exec(await look(`${chat}/try`))?.[1] ?? "";
    expect(await Promise.all([own, "https://shop.example", "https://other.example"].map(open))).toEqual([
      200, 200, 403,
    ]);
    // The page says where the chat was seen; where it was refused, by name.
    await expect.poll(() => look(chat)).toMatch(/Seen on https:\/\/shop\.example .*Try it out/s);
    expect(await look(chat)).not.toContain(`Seen on ${own}`);
    await stage.close();
  });
});
