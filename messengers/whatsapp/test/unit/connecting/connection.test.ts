import { createExplain } from "gangway-messenger/explanations";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { CHECKED } from "gangway-meta/inspecting";
import { describe, expect, it } from "vitest";
import { COMMON_EXPLANATIONS } from "../../../../../src/domain/explanations.ts";
import { ACCOUNT_ID, COEXISTENCE_ID, FOREIGN_ACCOUNT_ID, FOREIGN_NUMBER_ID } from "../../../emulator/seed.ts";
import whatsapp from "../../../src/index.ts";
import { fresh, refusalOf, staged } from "../stage.ts";

const ELSEWHERE = { url: "https://other.example/hook", verifyToken: "theirs" };

describe("what a merchant has pasted", () => {
  it("is a number with a name, an address for customers and a login of its own", async () => {
    const { session, number } = await staged();
    expect(await session.identify?.(fresh())).toEqual({
      id: `whatsapp:${number.id}`,
      name: "Quay & Co.",
      link: "https://wa.me/15550100142",
    });
    expect(await session.connect(fresh())).toEqual({ name: "Quay & Co." });
  });

  it.each([
    [
      "a token that Meta does not know",
      { token: "EAAnobodysToken000000000000000000" },
      /^Meta does not accept this token/,
    ],
    ["a wrong phone number ID", { phoneNumberId: "399999999999999" }, /^Meta shows this token no such phone number ID/],
    ["somebody else's number", { phoneNumberId: FOREIGN_NUMBER_ID }, /^Meta shows this token no such phone number ID/],
    ["no app secret", { appSecret: "" }, /^the app secret is missing/],
  ])("%s is refused in words before anything changes", async (_, own, words) => {
    const { session, subscriptions } = await staged(own);
    const error = await refusalOf(Promise.resolve(session.identify?.(fresh())));
    expect(error.message).toMatch(words);
    expect(["reject", "reconnect"]).toContain(error.verdict.type);
    expect(subscriptions()).toEqual([]);
  });

  it.each([
    [
      "a wrong account ID",
      { wabaId: "299999999999999" },
      /^Meta shows this token no such WhatsApp Business Account ID/,
    ],
    ["somebody else's account", { wabaId: FOREIGN_ACCOUNT_ID }, /^Meta shows this token no such WhatsApp Business/],
  ])("%s is refused in words", async (_, own, words) => {
    const { session, subscriptions } = await staged(own);
    expect((await refusalOf(session.connect(fresh()))).message).toMatch(words);
    expect(subscriptions()).toEqual([]);
  });

  it("must be a number of that account", async () => {
    const { session, token, world } = await staged({ wabaId: FOREIGN_ACCOUNT_ID });
    token.nodes.add(FOREIGN_ACCOUNT_ID);
    expect((await refusalOf(session.connect(fresh()))).message).toMatch(/belongs to another WhatsApp Business account/);
    expect(world.accounts.get(FOREIGN_ACCOUNT_ID)?.subscribed.size).toBe(0);
  });

  it.each([
    ["whatsapp_business_messaging", "whatsapp_business_management"],
    ["whatsapp_business_management", "whatsapp_business_messaging"],
  ])("needs the right %s, by its name", async (right, other) => {
    const { session, token, subscriptions } = await staged();
    token.rights.delete(right);
    const error = await refusalOf(session.connect(fresh()));
    expect(error.message).toContain(right);
    expect(error.message).not.toContain(other);
    expect(error.verdict.type).toBe("reconnect");
    expect(subscriptions()).toEqual([]);
  });

  it("must be registered for the Cloud API", async () => {
    const { session, number, subscriptions } = await staged();
    number.status = "PENDING";
    expect((await refusalOf(session.connect(fresh()))).message).toMatch(/not registered for the Cloud API/);
    number.status = "BANNED";
    expect((await refusalOf(session.connect(fresh()))).message).toBe("Meta does not let this number send now (BANNED)");
    expect(subscriptions()).toEqual([]);
  });
});

describe("the subscription", () => {
  it("sends the account's messages to the channel's door, and may be repeated", async () => {
    const { session, subscriptions, context, emulator, after } = await staged();
    await session.connect(fresh());
    await session.connect(fresh());
    expect(subscriptions()).toEqual([[DEMO_APP.id, context.doorUrl]]);
    expect(await after(() => emulator.says("hello"))).toMatchObject([{ type: "message", content: { text: "hello" } }]);
  });

  it("is undone when Meta cannot reach the door", async () => {
    const { session, subscriptions, core } = await staged();
    core.faults.plan({ operation: "handshake", status: 500 } as never);
    const error = await refusalOf(session.connect(fresh()));
    expect(error.message).toMatch(/^Meta has not accepted this server's address\. WhatsApp: /);
    expect(subscriptions()).toEqual([]);
  });

  it("ends with the channel, and leaves the app as it was before", async () => {
    const { session, subscriptions, world } = await staged();
    await session.connect(fresh());
    await session.disconnect(fresh());
    expect(subscriptions()).toEqual([]);
    // A shop whose app had its messages before.
    world.accounts.get(ACCOUNT_ID)?.subscribed.set(DEMO_APP.id, {});
    await session.connect(fresh());
    await session.connect(fresh());
    await session.disconnect(fresh());
    expect(subscriptions()).toEqual([[DEMO_APP.id, undefined]]);
  });

  it("takes nothing from another server unless that is allowed, and never ends that server's", async () => {
    const [careful, taking] = [await staged(), await staged({ takeOver: true })];
    for (const { world } of [careful, taking])
      world.accounts.get(ACCOUNT_ID)?.subscribed.set(DEMO_APP.id, { override: ELSEWHERE });
    const error = await refusalOf(careful.session.connect(fresh()));
    expect(error.message).toBe(
      "another server receives this account's messages now (other.example). Disconnect it there, or allow the takeover",
    );
    await careful.session.disconnect(fresh());
    expect(careful.subscriptions()).toEqual([[DEMO_APP.id, ELSEWHERE.url]]);
    await taking.session.connect(fresh());
    expect(taking.subscriptions()).toEqual([[DEMO_APP.id, taking.context.doorUrl]]);
  });

  it("is one for all numbers of the account and the app, which know whose door it points to", async () => {
    const { session, world, context } = await staged();
    await session.connect(fresh());
    const own = await session.sharing?.(fresh());
    expect(own).toEqual({
      group: expect.stringMatching(`^whatsapp:subscription:${ACCOUNT_ID}:`),
      door: context.doorUrl.split("/").at(-1),
    });
    const override = { url: new URL("/m/sibling", context.doorUrl).href, verifyToken: "x" };
    const { subscribed } = world.accounts.get(ACCOUNT_ID) ?? {};
    subscribed?.set(DEMO_APP.id, { override });
    expect(await session.sharing?.(fresh())).toEqual({ ...own, door: "sibling" });
    subscribed?.set(DEMO_APP.id, { override: ELSEWHERE });
    expect(await session.sharing?.(fresh())).toEqual({ ...own, door: undefined });
    subscribed?.clear();
    expect(await session.sharing?.(fresh())).toEqual({ ...own, door: undefined });
  });
});

describe("the app's own webhook, where alone Meta tells of templates", () => {
  it("is the channel's door if the app has none", async () => {
    const { session, app, context, network, account, after } = await withAccount();
    await session.connect(fresh());
    expect(app?.webhook?.url).toBe(context.doorUrl);
    expect(app?.fields).toContain("message_template_status_update");
    // The emulator's courier brings a review there.
    const arrived = await after(async () => {
      await session.templates?.create(HELLO, fresh());
      await network.idle();
    });
    expect([arrived, account.templates.size]).toEqual([[], 1]);
  });

  it("stays as it is if the app has one, and a refusal stops nothing", async () => {
    const { session, app, core } = await withAccount();
    if (app) app.webhook = ELSEWHERE;
    await session.connect(fresh());
    expect(app?.webhook).toEqual(ELSEWHERE);
    delete app?.webhook;
    core.faults.plan({ operation: "subscribeObject", status: 403 } as never);
    await expect(session.connect(fresh())).resolves.toEqual({ name: "Quay & Co." });
  });
});

describe("a field that Meta does not let an app subscribe to", () => {
  it("loses none of the others, and is named on the page", async () => {
    const { session, app, core } = await withAccount();
    const known = core.fields?.filter((field) => field !== "calls") ?? [];
    Object.assign(core, { fields: known });
    await session.connect(fresh());
    expect(app?.fields).toEqual(expect.arrayContaining(["messages", "message_template_status_update"]));
    expect(app?.fields).not.toContain("calls");
    const { facts } = await standingOf(session);
    expect(facts).toContainEqual(expect.objectContaining({ value: "calls", isBad: true }));
  });

  it("is asked for by none of ours", async () => {
    const { session } = await withAccount();
    await session.connect(fresh());
    expect((await standingOf(session)).facts.map(({ value }) => value)).not.toContainEqual(
      expect.stringContaining("_"),
    );
  });
});

const standingOf = async (session: Awaited<ReturnType<typeof staged>>["session"]) => {
  const standing = await session.standing?.(fresh());
  if (!standing) throw new Error("it tells of no standing");
  return standing;
};

const HELLO = { name: "hello", language: "en_US", category: "utility", body: "Hello!", buttons: [] };

async function withAccount() {
  const stage = await staged();
  const account = stage.world.accounts.get(ACCOUNT_ID);
  if (!account) throw new Error("there is no account");
  return { ...stage, account };
}

describe("the check every half minute", () => {
  const connected = async () => {
    const stage = await staged();
    await stage.session.connect(fresh());
    const inspect = async () => {
      // It asks Meta every few minutes only.
      await stage.context.notes.set([{ key: CHECKED, value: "" }]);
      return stage.session.inspect?.(fresh());
    };
    return { ...stage, inspect };
  };

  it("finds nothing while all is well, and asks Meta seldom", async () => {
    const { inspect, session, core } = await connected();
    expect(await inspect()).toBeUndefined();
    const calls = core.journal.entries().length;
    expect(await session.inspect?.(fresh())).toBeUndefined();
    expect(core.journal.entries()).toHaveLength(calls);
  });

  it("says that somebody has ended the subscription, or taken it over", async () => {
    const { inspect, world } = await connected();
    const account = world.accounts.get(ACCOUNT_ID);
    account?.subscribed.set(DEMO_APP.id, { override: ELSEWHERE });
    expect(await inspect()).toBe("another server has taken over this account (other.example) and gets its messages");
    account?.subscribed.clear();
    expect(await inspect()).toMatch(/^WhatsApp no longer sends this number's messages here/);
  });

  it("counts a door of another channel of this server, which passes on what is not its own", async () => {
    const { inspect, world } = await connected();
    const sibling = { url: "https://gangway.example/m/sibling", verifyToken: "x" };
    world.accounts.get(ACCOUNT_ID)?.subscribed.set(DEMO_APP.id, { override: sibling });
    expect(await inspect()).toBeUndefined();
    expect(COEXISTENCE_ID).not.toBe("");
  });

  it("ends with the permission without which no message goes", async () => {
    const { inspect, token } = await connected();
    token.rights.delete("whatsapp_business_messaging");
    const error = await refusalOf(inspect());
    expect([error.verdict.type, error.message]).toEqual([
      "reconnect",
      "the token lacks a permission: whatsapp_business_messaging",
    ]);
  });

  it("tells of a permission that only templates need, without which messages still go", async () => {
    const { inspect, token, session, robin, text, last } = await connected();
    token.rights.delete("whatsapp_business_management");
    const trouble = (await inspect()) ?? "";
    expect(createExplain([...(whatsapp.explanations ?? []), ...COMMON_EXPLANATIONS])(trouble, "es")).toBe(
      "el token ha perdido el permiso whatsapp_business_management: los mensajes siguen, pero las plantillas no se pueden leer ni cambiar",
    );
    const error = await refusalOf(Promise.resolve(session.templates?.list(fresh())));
    expect([error.verdict.type, error.message]).toEqual(["reject", trouble]);
    await text(robin.phone, "still here");
    expect(JSON.stringify(last().content)).toContain("still here");
    token.rights.clear();
    token.rights.add("public_profile");
    expect((await refusalOf(text(robin.phone, "gone", {}, "two"))).verdict.type).toBe("reconnect");
    expect((await refusalOf(inspect())).verdict.type).toBe("reconnect");
  });

  it("warns ten days before the token expires, and stops the channel once it has", async () => {
    const { inspect, token, context } = await connected();
    token.expiresAt = context.clock.now() + 9 * 86_400_000;
    const day = new Date(token.expiresAt).toISOString().slice(0, 10);
    expect(await inspect()).toBe(`the token expires soon: ${day}`);
    token.expiresAt = context.clock.now() - 1_000;
    const error = await refusalOf(inspect());
    expect(error.verdict.type).toBe("reconnect");
    expect(error.message).toMatch(/^the token has expired\. WhatsApp: Error validating access token/);
  });
});
