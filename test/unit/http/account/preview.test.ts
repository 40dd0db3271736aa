import { describe, expect, it } from "vitest";
import { runningSite } from "../../../support/site.ts";

async function withChannel() {
  const site = await runningSite();
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const id = /data-channel="([\w-]{22})"/.exec(await site.page(cookie))?.[1] ?? "";
  const preview = async (query: Record<string, string>, by = cookie, channel = id) => {
    const token = await site.formToken(cookie);
    const path = `/account/channels/${channel}/preview`;
    const answer = await site.submit(path, { formToken: token, ...query }, { cookie: by, accept: "text/html" });
    return { status: answer.status, page: await answer.text() };
  };
  return { site, preview, cookie };
}

describe("the preview of a message", () => {
  it("shows how it is split and what is lost, and sends nothing", async () => {
    const { site, preview } = await withChannel();
    const { status, page } = await preview({
      text: "three ropes",
      kind: "image",
      count: "11",
      size: "30",
      buttons: "Yes\nNo",
    });
    expect(status).toBe(200);
    expect(page).toContain("What differs from your message:");
    expect(page).toMatch(/1\.jpg.*too large for the messenger and was sent as a link/);
    expect(page).toMatch(/<span class="chip">Yes<\/span>.*<span class="chip">No<\/span>/);
    const whole = await preview({ text: "привет ".repeat(1_000) });
    expect(whole.page).toContain("Nothing is lost.");
    expect(site.sandbox.world.messages).toEqual([]);
  });

  it("accepts any text, and numbers only as numbers", async () => {
    const { preview } = await withChannel();
    const { status, page } = await preview({ text: "<script>alert(1)</script>", count: "-7", size: "x", kind: "what" });
    expect(status).toBe(200);
    expect(page).not.toContain("<script>alert");
  });

  it("is shown only to the account's users", async () => {
    const { preview, cookie } = await withChannel();
    expect((await preview({ text: "x" }, cookie.replace(/=.*/, "=nobody"))).status).toBe(401);
    expect((await preview({ text: "x" }, undefined, "no-such-channel")).status).toBe(404);
  });
});
