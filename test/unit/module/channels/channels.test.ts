import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it } from "vitest";
import { MAX_CHANNELS } from "../../../../src/module/channels/channels.ts";
import { addAccount } from "../../../support/store.ts";
import { moduleWorld, refusedBy, says, type ToySettings } from "../world.ts";

const form = (settings: object = {}, name = "Toy one") => ({ name, settings: { token: "12345", ...settings } });

async function setUp() {
  const world = await moduleWorld();
  const account = await world.join();
  world.calls.length = 0;
  const list = () => world.store.channels.list(account.id);
  const add = async () => {
    const result = await world.channels.add(account, "toy", form());
    if (!result.ok) throw new Error(result.fault.code);
    const [channel] = await list();
    if (!channel) throw new Error("no channel");
    world.calls.length = 0;
    world.toy.events.length = 0;
    return channel;
  };
  return { ...world, account, list, add };
}

describe("adding a channel", () => {
  it("connects at the messenger, then at the gateway under its own id, and wakes the relay", async () => {
    const site = await setUp();
    const result = await site.channels.add(site.account, "toy", form());
    const [channel] = await site.list();
    expect(result.ok).toBe(true);
    expect(site.toy.events).toEqual(["connect 12345"]);
    expect(site.atGateway()).toEqual([{ name: "Toy one", externalId: channel?.id, active: true }]);
    expect(channel).toMatchObject({ gatewayChannelId: "1", state: "active", kind: "toy" });
    expect(channel?.announced).toBeTruthy();
    expect(site.woken).toContain(site.account.id);
  });

  it.each([
    ["an unknown kind", "smoke", form(), { code: "kind" }],
    ["a name that is too long", "toy", form({}, "x".repeat(101)), { code: "name" }],
    [
      "the adapter's own words",
      "toy",
      form({ token: "1" }),
      { field: "token", message: "a token has 5 characters or more" },
    ],
    ["a field that is missing", "toy", { name: "", settings: {} }, { field: "token", rule: "missing" }],
    [
      "a text that is too long",
      "toy",
      form({ greeting: "x".repeat(21) }),
      { field: "greeting", rule: "too-long", limit: 20 },
    ],
    ["a number that is too high", "toy", form({ most: 5000 }), { field: "most", rule: "too-high", limit: 4096 }],
    ["no number", "toy", form({ most: Number.NaN }), { field: "most", rule: "form" }],
    ["too many lines", "toy", form({ sites: ["a", "b", "c", "d"] }), { field: "sites", rule: "too-many", limit: 3 }],
    ["a choice that is none", "toy", form({ mood: "odd" }), { field: "mood", rule: "form" }],
  ])("refuses %s before anything is stored or asked", async (_, kind, draft, fault) => {
    const site = await setUp();
    expect(await site.channels.add(site.account, kind, draft)).toMatchObject({ ok: false, fault });
    expect([await site.list(), site.calls, site.toy.events]).toEqual([[], [], []]);
  });

  it("is undone when the messenger refuses: nothing here, nothing at the gateway", async () => {
    const site = await setUp();
    site.toy.network.down = refusedBy("Unauthorized");
    const result = await site.channels.add(site.account, "toy", form());
    expect(result).toEqual({ ok: false, fault: { code: "messenger", detail: "Unauthorized" } });
    expect([await site.list(), site.calls]).toEqual([[], []]);
  });

  it("distinguishes an unreachable messenger from one that refuses", async () => {
    const site = await setUp();
    site.toy.network.down = new DeliveryError({ type: "retry" }, "nobody answers");
    const result = await site.channels.add(site.account, "toy", form());
    expect(result).toEqual({ ok: false, fault: { code: "no-messenger", detail: "nobody answers" } });
  });

  it("is undone when the gateway refuses, at the messenger too", async () => {
    const site = await setUp();
    site.answers.set("POST /channels", says(400, { errors: ["Wrong type"] }));
    const result = await site.channels.add(site.account, "toy", form());
    expect(result).toMatchObject({
      ok: false,
      fault: { code: "gateway", detail: expect.stringContaining("Wrong type") },
    });
    expect(await site.list()).toEqual([]);
    expect(site.toy.events).toEqual(["connect 12345", "disconnect"]);
    site.answers.clear();
    expect((await site.channels.add(site.account, "toy", form())).ok).toBe(true);
  });

  it("is undone when the messenger's code breaks", async () => {
    const site = await setUp();
    site.toy.network.down = new TypeError("a bug");
    await expect(site.channels.add(site.account, "toy", form())).rejects.toThrow("a bug");
    expect(await site.list()).toEqual([]);
  });

  it("leaves no orphan at the gateway when its answer was lost", async () => {
    const site = await setUp();
    let lost = false;
    site.answers.set("POST /channels", async () => {
      site.answers.delete("POST /channels");
      lost = true;
      return new Response("not what was agreed");
    });
    expect((await site.channels.add(site.account, "toy", form())).ok).toBe(true);
    expect(lost).toBe(true);
    expect(site.atGateway().filter(({ active }) => active)).toHaveLength(1);
  });

  it("makes one channel at the gateway during a concurrent announcement of all channels", async () => {
    const site = await setUp();
    site.toy.network.slowMs = 100;
    const adding = site.channels.add(site.account, "toy", form());
    await expect.poll(site.list).toHaveLength(1);
    await Promise.all([adding, ...Array.from({ length: 5 }, () => site.channels.announceAll(site.account))]);
    await site.channels.announceAll(site.account);
    expect(site.calls.filter((call) => call === "POST /channels")).toHaveLength(1);
  });
});

describe("a channel that was stored, and never opened", () => {
  it("is connected to its messenger before the gateway knows it", async () => {
    const site = await setUp();
    await site.store.channels.add(site.account.id, { kind: "toy", name: "Toy", settings: { token: "12345" } });
    await site.channels.announceAll(site.account);
    expect([site.toy.events, site.calls]).toEqual([["connect 12345"], ["POST /channels"]]);
    await site.channels.announceAll(site.account);
    expect(site.toy.events).toEqual(["connect 12345"]);
  });
});

describe("an account with the maximum number of channels", () => {
  it("gets no more, even from concurrent forms, and one again after a removal", async () => {
    const site = await setUp();
    for (let n = 1; n < MAX_CHANNELS; n++)
      await site.store.channels.add(site.account.id, { kind: "toy", name: "Toy", settings: {} });
    const add = () => site.channels.add(site.account, "toy", form());
    const results = await Promise.all([add(), add(), add()]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.filter((result) => !result.ok && result.fault.code === "too-many")).toHaveLength(2);
    expect(await site.list()).toHaveLength(MAX_CHANNELS);
    const [first] = await site.list();
    if (first) await site.channels.remove(site.account, first.id);
    expect((await add()).ok).toBe(true);
  });
});

describe("changing a channel", () => {
  it("announces only a changed name or feature", async () => {
    const site = await setUp();
    const { id } = await site.add();
    await site.channels.change(site.account, id, form({ greeting: "Hi" }));
    expect(site.calls).toEqual([]);
    await site.channels.change(site.account, id, form({ greeting: "Hi" }, "Renamed"));
    await site.channels.change(site.account, id, form({ greeting: "Hi", most: 200 }, "Renamed"));
    expect(site.calls).toEqual(["PUT /channels/:id", "PUT /channels/:id"]);
    expect(site.atGateway()[0]?.name).toBe("Renamed");
  });

  it("keeps the server's own settings, and a secret that is not typed again", async () => {
    const site = await setUp();
    const { id } = await site.add();
    expect((await site.channels.change(site.account, id, { name: "n", settings: { greeting: "" } })).ok).toBe(true);
    const [channel] = await site.list();
    expect(channel?.settings as ToySettings).toMatchObject({
      greeting: "",
      token: "12345",
      ownKey: "made-by-the-server",
    });
    expect(site.toy.events).toEqual(["connect 12345"]);
  });

  it("keeps the old settings when messenger or gateway refuse, and repairs a change whose answer was lost", async () => {
    const site = await setUp();
    const { id } = await site.add();
    site.toy.network.down = refusedBy("Unauthorized");
    expect(await site.channels.change(site.account, id, form({ token: "99999" }, "New"))).toMatchObject({ ok: false });
    site.toy.network.down = undefined;
    site.answers.set("PUT /channels/:id", async (request) => {
      site.answers.delete("PUT /channels/:id");
      const body = (await request.json()) as { name: string };
      for (const channel of site.atGateway()) channel.name = body.name;
      return Response.json({}, { status: 500 });
    });
    expect(await site.channels.change(site.account, id, form({}, "New"))).toMatchObject({ ok: false });
    const [channel] = await site.list();
    expect(channel).toMatchObject({ name: "Toy one", settings: { token: "12345" } });
    await site.channels.announceAll(site.account);
    expect(site.atGateway()[0]?.name).toBe("Toy one");
  });
});

describe("removing a channel", () => {
  it("takes it from the gateway first, then from the messenger, then from here", async () => {
    const site = await setUp();
    const { id } = await site.add();
    expect((await site.channels.remove(site.account, id)).ok).toBe(true);
    expect([site.calls, site.toy.events, await site.list()]).toEqual([["DELETE /channels/:id"], ["disconnect"], []]);
    expect(await site.channels.remove(site.account, id)).toEqual({ ok: false, fault: { code: "gone" } });
  });

  it("leaves it as it is when the gateway refuses, and can be repeated", async () => {
    const site = await setUp();
    const { id } = await site.add();
    site.answers.set("DELETE /channels/:id", says(500));
    expect(await site.channels.remove(site.account, id)).toMatchObject({ ok: false, fault: { code: "gateway" } });
    expect([site.toy.events, (await site.list()).length]).toEqual([[], 1]);
    site.answers.clear();
    expect((await site.channels.remove(site.account, id)).ok).toBe(true);
  });

  it("counts as done when the gateway no longer has it", async () => {
    const site = await setUp();
    const { id } = await site.add();
    site.answers.set("DELETE /channels/:id", says(404, { errors: ["Channel not found"] }));
    expect((await site.channels.remove(site.account, id)).ok).toBe(true);
  });
});

describe("a channel", () => {
  it("that stopped runs again once its messenger accepts it", async () => {
    const site = await setUp();
    const { id } = await site.add();
    await site.store.channels.setState(id, "stopped", "the token was refused");
    site.toy.network.down = refusedBy("Unauthorized");
    expect(await site.channels.resume(site.account, id)).toMatchObject({ ok: false, fault: { code: "messenger" } });
    expect((await site.list())[0]?.state).toBe("stopped");
    site.toy.network.down = undefined;
    expect((await site.channels.resume(site.account, id)).ok).toBe(true);
    expect((await site.list())[0]).toMatchObject({ state: "active", trouble: undefined });
  });

  it("that stopped, and is put right while the vendor has paused it, runs again once the vendor resumes it", async () => {
    const site = await setUp();
    const { id } = await site.add();
    const by = { actor: "operator" as const, action: "channel paused" };
    await site.store.channels.setState(id, "stopped", "the token was refused");
    await site.store.channels.setPause(id, "unpaid", by);
    expect(await site.channels.resume(site.account, id)).toMatchObject({ ok: false, fault: { code: "vendor" } });
    expect((await site.channels.change(site.account, id, form())).ok).toBe(true);
    await site.store.channels.setPause(id, undefined, by);
    expect((await site.list())[0]).toMatchObject({ state: "active", trouble: undefined, pauseReason: undefined });
  });

  it("whose stored settings no longer fit can be repaired or removed", async () => {
    const site = await setUp();
    const { id } = await site.add();
    await site.store.channels.change(id, { name: "Old", settings: { token: 1 } });
    expect(await site.channels.resume(site.account, id)).toEqual({ ok: false, fault: { code: "unfit" } });
    expect((await site.channels.change(site.account, id, form())).ok).toBe(true);
    await site.store.channels.change(id, { name: "Old", settings: { token: 1 } });
    expect((await site.channels.remove(site.account, id)).ok).toBe(true);
  });

  it("is inaccessible to another account, whatever the action", async () => {
    const site = await setUp();
    const { id } = await site.add();
    const stranger = await addAccount(site.store, "other");
    const gone = { ok: false, fault: { code: "gone" } };
    expect(await site.channels.change(stranger, id, form())).toEqual(gone);
    expect(await site.channels.remove(stranger, id)).toEqual(gone);
    expect(await site.channels.resume(stranger, id)).toEqual(gone);
    expect([site.calls, (await site.list())[0]?.name]).toEqual([[], "Toy one"]);
  });

  it("that cannot be announced does not block the others", async () => {
    const site = await setUp();
    const [one, two] = [await site.add(), await site.channels.add(site.account, "toy", form({}, "Toy two"))];
    const ids = (await site.list()).map(({ id }) => id);
    for (const id of ids) await site.store.channels.change(id, { name: `new ${id}`, settings: { token: "12345" } });
    await site.store.channels.change(one.id, { name: "bad", settings: { token: 1 } });
    await site.channels.announceAll(site.account);
    expect(two.ok).toBe(true);
    expect(
      site
        .atGateway()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["Toy one", `new ${ids.find((id) => id !== one.id)}`]);
  });
});

describe("a channel whose messenger identifies logins", () => {
  const logins = async () => {
    const site = await setUp();
    site.toy.network.hasLogins = true;
    return site;
  };

  it("is named after its login unless the user named it", async () => {
    const site = await logins();
    await site.channels.add(site.account, "toy", form({}, ""));
    expect(site.atGateway()).toMatchObject([{ name: "@12345" }]);
    await site.channels.add(site.account, "toy", form({ token: "67890" }, "Sales"));
    expect(site.atGateway()).toMatchObject([{ name: "@12345" }, { name: "Sales" }]);
  });

  it("is refused when another account has that login, before any change at the messenger", async () => {
    const site = await logins();
    const other = await site.join("https://other.retailcrm.ru");
    await site.channels.add(site.account, "toy", form());
    site.toy.events.length = 0;
    expect(await site.channels.add(other, "toy", form())).toMatchObject({ ok: false, fault: { code: "taken" } });
    expect(site.toy.events).toEqual([]);
    expect(await site.store.channels.list(other.id)).toEqual([]);
  });

  it("disconnects the old login on a change, and restores it when the new one is refused", async () => {
    const site = await logins();
    const channel = await site.add();
    await site.channels.change(site.account, channel.id, form({ token: "67890" }));
    expect(site.toy.events).toEqual(["connect 67890", "disconnect 12345"]);
    site.toy.events.length = 0;
    site.answers.set("PUT /channels/:id", says(400, { errors: ["no"] }));
    const refused = await site.channels.change(site.account, channel.id, form({ token: "24680" }, "Another"));
    expect(refused).toMatchObject({ ok: false, fault: { code: "gateway" } });
    expect(site.toy.events).toEqual(["connect 24680", "disconnect 24680", "connect 67890"]);
    const [kept] = await site.list();
    expect(kept).toMatchObject({ settings: { token: "67890" }, identity: "toy:67890" });
  });
});
