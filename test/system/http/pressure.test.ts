import { describe, expect, it } from "vitest";
import type { Bounds } from "../../../src/domain/delivery.ts";
import { onPostgres, readRows } from "../../support/engine.ts";
import { OWN, runningSite } from "../../support/site.ts";

/** A site whose gateway refuses connections for now, so that accepted messages wait. */
async function fullSite(bounds: Partial<Bounds>) {
  let down = true;
  const site = await runningSite({
    bounds,
    call: (real) => async (request) =>
      down && request.url.includes("/messages")
        ? { type: "failure", sent: "no", reason: "refused", detail: "test" }
        : real(request),
  });
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const { registration } = site.sandbox.world.modules.get("gangway") ?? {};
  const path = (registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, "");
  const channelId = [...site.sandbox.world.channels.keys()][0] ?? 0;
  const agent = async (id: number) => {
    const chat = (await readRows(site.folder, ["chat"])).chat?.[0]?.gateway_chat;
    const place = { channel_id: channelId, external_chat_id: chat, external_user_id: chat };
    return site.ask(path, {
      method: "POST",
      headers: { clientid: registration?.clientId ?? "" },
      body: JSON.stringify({
        type: "message_sent",
        meta: { timestamp: 1 },
        data: { ...place, id, type: "text", content: "hi", quote_content: null, quote_external_id: null },
      }),
    });
  };
  const door = `/m/${/data-channel=&quot;([^&]+)&quot;/.exec(await site.page(cookie))?.[1]}`;
  const opened = await (await site.ask(`${door}/open`, { method: "POST", body: "{}" })).json();
  const headers = { authorization: `Bearer ${(opened as { visitor: string }).visitor}` };
  const visitor = (text: string) =>
    site.ask(`${door}/messages`, {
      method: "POST",
      headers,
      body: JSON.stringify({ id: crypto.randomUUID(), text }),
    });
  const mend = () => {
    down = false;
  };
  return { ...site, agent, visitor, mend };
}

describe("the doors of an overloaded account", () => {
  it("answer 429 with a retry time and a text; agents still have room, and customers once there is room again", async () => {
    const site = await fullSite({ perAccount: 4 });
    for (let n = 0; n < 3; n++) expect((await site.visitor(`m${n}`)).status).toBe(200);
    const answer = await site.visitor("more");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/send it again later/) } });
    // Another site's widget may read both.
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-expose-headers")).toBe("retry-after");
    expect(site.lines.filter((line) => line.includes("pressure.refused"))).toHaveLength(1);
    // The agents' share is untouched.
    expect((await site.agent(1)).status).toBe(200);
    site.mend();
    await expect.poll(async () => (await site.visitor("more")).status).toBe(200);
  });

  it("answer 503 when the whole server is overloaded", async () => {
    const site = await fullSite({ all: 1 });
    expect((await site.visitor("one")).status).toBe(200);
    const answer = await site.visitor("two");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "15"]);
  });

  it.skipIf(onPostgres)("answer 503 while the disk is below its floor", async () => {
    const site = await fullSite({ diskFloor: Number.MAX_SAFE_INTEGER });
    const answer = await site.visitor("one");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(site.lines.filter((line) => line.includes("disk.full"))).toHaveLength(1);
  });
});
