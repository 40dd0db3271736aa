import { describe, expect, it } from "vitest";
import { openStage } from "../../fuzz/stage.ts";
import { readRows } from "../../support/engine.ts";
import { until } from "../../support/until.ts";

const SCOPES = ["integration_read", "integration_write"];
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

async function onTheSite() {
  const stage = await openStage();
  const page = { page: "https://shop.example/rope?secret=1", title: "Rope", language: "es" };
  const { headers } = stage.visitor;
  await stage.ask(`${stage.chat.door}/visit`, { method: "POST", headers, body: JSON.stringify(page) });
  const asks = async (action: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ clientId: stage.clientId, ...fields });
    return (await stage.ask(`/actions/${action}`, { method: "POST", body })).json();
  };
  const about = (of: object = { external_user_id: stage.visitor.chat }) => JSON.stringify(of);
  return { ...stage, asks, about };
}

describe("the CRM", () => {
  it("is told with the registration that it may ask for visits, and asks when a customer was last there and what for", async () => {
    const { asks, about, sandbox } = await onTheSite();
    const { integrations } = sandbox.world.modules.get("gangway")?.registration ?? {};
    expect(integrations?.mgTransport?.actions).toMatchObject({ visits: "/actions/visits", online: "/actions/online" });
    expect(await asks("online", { online: about() })).toEqual({ lastOnline: expect.stringMatching(DATE) });
    expect(await asks("visits", { visits: about() })).toEqual({
      device: { lang: "es", browser: "", os: "" },
      ...{ country: "", city: "", countVisits: 1 },
      lastVisit: {
        createdAt: expect.stringMatching(DATE),
        source: "",
        pages: [{ dateTime: expect.stringMatching(DATE), title: "Rope", url: "https://shop.example/rope" }],
        duration: expect.any(Number),
      },
    });
  });

  it("learns nothing with another client id, of another channel, or by a form that says nothing", async () => {
    const { asks, about, visitor, bot, lines } = await onTheSite();
    const none = { success: false };
    expect(await asks("visits", { clientId: "guess", visits: about() })).toEqual(none);
    expect(
      await asks("visits", { visits: about({ external_user_id: visitor.chat, channel_id: bot.channel }) }),
    ).toEqual(none);
    expect(await asks("visits", { visits: about({ external_user_id: "somebody" }) })).toEqual(none);
    for (const visits of ["", "{", "[]", '{"external_user_id":{}}'])
      expect(await asks("visits", { visits })).toEqual(none);
    expect(lines.join("\n")).toContain("account.site-visits-not-read");
  });

  it("reads times in its own zone", async () => {
    const { asks, about, sandbox, clientId, submit } = await onTheSite();
    const online = async () => ((await asks("online", { online: about() })) as { lastOnline: string }).lastOnline;
    sandbox.world.keys.set("sandbox-key", { scopes: [...SCOPES, "settings_read"], credentials: [] });
    const zoned = async (timeZone: string) => {
      sandbox.world.settings.timeZone = timeZone;
      await submit("/actions/settings", { clientId });
      return Date.parse(`${(await online()).replace(" ", "T")}Z`);
    };
    expect((await zoned("Asia/Tokyo")) - (await zoned("UTC"))).toBe(9 * 3_600_000);
  });

  it("knows nothing more of a customer who was erased", async () => {
    const { ask, chat, visitor, asks, about, folder } = await onTheSite();
    await ask(`${chat.door}/erase`, { method: "POST", headers: visitor.headers, body: "{}" });
    await until("the erasure", async () => {
      const { note = [] } = await readRows(folder, ["note"]);
      return !note.some(({ key }) => String(key).includes(visitor.chat));
    });
    const visits = async () => JSON.stringify(await asks("visits", { visits: about() }));
    await until("its end", async () => (await visits()) === JSON.stringify({ success: false }));
  });
});
