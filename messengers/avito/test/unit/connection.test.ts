import { describe, expect, it } from "vitest";
import { SHOP } from "../../emulator/emulator.ts";
import avito from "../../src/index.ts";
import { fresh, SECRET, talking } from "../stage.ts";

const MINUTE = 60_000;

describe("an account", () => {
  it("is known by its credentials, and subscribed beside others at the channel's address with its secret", async () => {
    const { session, emulator, context, calls } = await talking();
    expect(await session.identify?.(fresh())).toEqual({
      ...{ id: `avito:${SHOP.id}`, name: SHOP.name, link: "https://avito.ru/user/0875520a/profile" },
    });
    const [account] = emulator.world.accounts;
    expect(account?.webhooks).toEqual([{ url: `${context.doorUrl}/${SECRET}`, version: "3" }]);
    account?.webhooks.push({ url: "https://other.example/hook", version: "3" });
    // Again is once.
    await session.connect(fresh());
    expect(calls("postWebhookV3")).toHaveLength(1);
    await session.disconnect(fresh());
    await session.disconnect(fresh());
    expect(account?.webhooks).toEqual([{ url: "https://other.example/hook", version: "3" }]);
    expect(calls("postWebhookUnsubscribe")).toHaveLength(1);
  });

  it("ends the subscription that a removed channel of this server could not end, and no other's", async () => {
    const { session, emulator, context } = await talking();
    const [account] = emulator.world.accounts;
    const { origin } = new URL(context.doorUrl);
    const kept = [
      { url: "https://other.example/m/hook", version: "3" },
      { url: `${origin}/elsewhere`, version: "3" },
    ];
    account?.webhooks.push(...kept, { url: `${origin}/m/removed/secret`, version: "3" });
    emulator.faults.plan({ operation: "postWebhookUnsubscribe", status: 503 });
    await session.connect(fresh());
    expect(account?.webhooks).toHaveLength(4);
    await session.connect(fresh());
    expect(account?.webhooks).toEqual([{ url: `${context.doorUrl}/${SECRET}`, version: "3" }, ...kept]);
  });

  it("whose webhook is of an older version is subscribed anew", async () => {
    const { session, emulator } = await talking();
    const [account] = emulator.world.accounts;
    if (account) account.webhooks = account.webhooks.map((each) => ({ ...each, version: "2" }));
    await session.connect(fresh());
    expect(account?.webhooks.map(({ version }) => version)).toEqual(["3"]);
  });

  it("is looked at every five minutes, says that its webhook was removed, and is well once it is back", async () => {
    const { session, emulator, later, calls } = await talking();
    const before = calls("getSubscriptions").length;
    for (let n = 0; n < 3; n++) expect(await session.inspect?.(fresh())).toBeUndefined();
    expect(calls("getSubscriptions")).toHaveLength(before + 1);
    const [account] = emulator.world.accounts;
    if (account) account.webhooks = [];
    later(5 * MINUTE);
    const trouble = "Avito no longer sends this account's messages here: somebody has removed the webhook";
    expect(await session.inspect?.(fresh())).toBe(trouble);
    expect(await session.inspect?.(fresh())).toBe(trouble);
    await session.connect(fresh());
    expect(await session.inspect?.(fresh())).toBeUndefined();
  });

  it("has its name and number on the channel's page", async () => {
    const { session } = await talking();
    expect(await session.standing?.(fresh())).toMatchObject({ facts: [{ value: "Sandbox Garage (141906442)" }] });
  });

  it("that cannot be reached, or whose address does not answer, is explained", async () => {
    const { context, again, emulator, session } = await talking();
    const call: typeof context.call = async () => ({ type: "failure", sent: "no", reason: "refused", detail: "" });
    await expect(again({ call }).identify?.(fresh())).rejects.toThrow("this server cannot reach Avito");
    const [account] = emulator.world.accounts;
    if (account) account.webhooks = [];
    emulator.faults.plan({ operation: "postWebhookV3", status: 400, description: "The url does not answer" });
    await expect(session.connect(fresh())).rejects.toThrow("Avito: The url does not answer (the webhook)");
  });

  it.each([
    ["avitoClientId", "short"],
    ["avitoClientId", "with a space in it"],
    ["avitoClientSecret", "short"],
    ["avitoClientSecret", "https://www.avito.ru/professionals/api"],
  ])("is refused by the form when its %s is %s", (field, value) => {
    const right = { avitoClientId: ` ${SHOP.clientId}\n`, avitoClientSecret: SHOP.clientSecret };
    expect(avito.settings.parse(right)).toMatchObject({ avitoClientId: SHOP.clientId, language: "ru" });
    expect(() => avito.settings.parse({ ...right, [field]: value })).toThrow("exactly as Avito shows it");
  });
});
