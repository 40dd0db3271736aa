import { describe, expect, it } from "vitest";
import { KINDS } from "../../src/crm/integrations.ts";
import { loadSpec } from "../../src/spec.ts";
import { account, module } from "./account.ts";

/** Settings of each kind that has no gateway, as the contract describes them. */
const SETTINGS: Record<string, object> = {
  telephony: { makeCallUrl: "http://m/call", allowEdit: true, additionalCodes: [{ userId: 1, code: "101" }] },
  delivery: { actions: { save: "/save" }, statusList: [{ code: "sent", name: "Sent", isEditable: true }] },
  store: { actions: [{ code: "stock", url: "/stock", callPoints: ["order"] }] },
  recommendation: { actions: ["suggest"], modes: [{ code: "like", names: ["Alike"] }] },
  payment: { actions: { create: "/pay" }, currencies: ["EUR"], shops: [{ code: "s", name: "S", active: true }] },
  embedJs: { entrypoint: "/app.js", targets: ["order/card"], pages: [{ code: "p", menuItemTitle: { en: "Page" } }] },
};
const of = (kind: string, settings: object = SETTINGS[kind] ?? {}) => module({ integrations: { [kind]: settings } });

describe("spec: modules of every kind", () => {
  it("are those of the contract", () => {
    const schemas = loadSpec("crm.openapi.json").components.schemas ?? {};
    const kinds = Object.keys(schemas.IntegrationsEdit?.properties as object);
    expect([...KINDS]).toEqual(kinds);
    expect(Object.keys(SETTINGS)).toEqual(kinds.filter((kind) => !kind.startsWith("mg")));
  });

  it('"External integration modules (warehouse systems, delivery services, marketplace platforms, telephony, messaging transports, chat bots) are registered through the API."', async () => {
    const { edit, read, faults } = account();
    // A marketplace's platform has no kind of its own in the contract.
    const kinds: Record<string, object> = {
      "warehouse-system": { store: SETTINGS.store },
      "delivery-service": { delivery: SETTINGS.delivery },
      "marketplace-platform": { store: SETTINGS.store, payment: SETTINGS.payment },
      telephony: { telephony: SETTINGS.telephony },
      "messaging-transport": module().integrations,
      "chat-bot": { mgBot: {} },
    };
    for (const [code, integrations] of Object.entries(kinds)) {
      expect([code, (await edit(module({ code, integrations }))).status]).toEqual([code, 200]);
      expect(await read(code)).toMatchObject({ code, active: true, integrations });
    }
    expect(faults()).toEqual([]);
  });

  it.each(Object.keys(SETTINGS))('"Accepts module-specific settings.": %s', async (kind) => {
    const { edit, read, faults, switches } = account();
    await switches({ gatewayOn: false, chatsOn: false });
    expect((await edit(of(kind))).status).toBe(200);
    expect(await read("m")).toMatchObject({ active: true, integrations: { [kind]: SETTINGS[kind] } });
    expect(faults()).toEqual([]);
  });

  it("with no kind, or one that the contract lacks, is refused", async () => {
    const { edit, world } = account();
    for (const integrations of [{}, { radio: {} }]) expect((await edit(module({ integrations }))).status).toBe(400);
    expect(world.modules.size).toBe(0);
  });

  it.each([
    ["telephony", { additionalCodes: [{ userId: "Alex" }] }, "integrations.telephony.additionalCodes[0].userId"],
    ["delivery", { statusList: [{ isEditable: "perhaps" }] }, "integrations.delivery.statusList[0].isEditable"],
    ["delivery", { plateList: [{ type: "box" }] }, "integrations.delivery.plateList[0].type"],
    ["store", { actions: { stock: "/stock" } }, "integrations.store.actions"],
    ["payment", { shops: [{ active: 7 }] }, "integrations.payment.shops[0].active"],
  ])("judges the settings of %s: %o", async (kind, settings, field) => {
    const { edit, world } = account();
    const { status, body } = await edit(of(kind, settings));
    expect([status, body.errorMsg, Object.keys(body.errors)]).toEqual([400, "Errors in the entity format", [field]]);
    expect(world.modules.size).toBe(0);
  });

  it("keeps the chats' rules beside another kind", async () => {
    const { edit, switches } = account();
    await switches({ gatewayOn: false });
    const both = { ...module().integrations, delivery: SETTINGS.delivery };
    expect((await edit(module({ integrations: both }))).status).toBe(400);
    await switches({ gatewayOn: true });
    expect((await edit(module({ integrations: both }))).body.info).toMatchObject({
      mgTransport: { token: expect.any(String) },
      deliveryType: { code: "m" },
    });
  });

  it("disables with the gateway only what needs it: another kind stays, one beside a transport goes with it", async () => {
    const { edit, read, switches, json } = account();
    const both = { ...module().integrations, delivery: SETTINGS.delivery };
    await edit({ ...of("delivery"), code: "alone" });
    await edit(module({ code: "both", integrations: both }));
    await switches({ gatewayOn: false, chatsOn: false });
    expect([(await read("alone")).active, (await read("both")).active]).toEqual([true, false]);
    const on = async (code: string) =>
      (await json("POST", "/sandbox/activity", { code, active: true, freeze: false })).body.status;
    expect([await on("alone"), await on("both")]).toEqual([200, 409]);
  });

  it("reads bracketed fields as the contract types them", async () => {
    const { crm, read, faults } = account();
    const fields = {
      ...{ "integrationModule[code]": "m", "integrationModule[name]": "M", "integrationModule[clientId]": "client-1" },
      "integrationModule[baseUrl]": "http://127.0.0.1:9",
      "integrationModule[integrations][delivery][platePrintLimit]": "7",
      "integrationModule[integrations][delivery][allowPackages]": "1",
      "integrationModule[integrations][delivery][payerType][]": "sender",
    };
    expect((await crm("POST", "/api/v5/integration-modules/m/edit", fields)).status).toBe(200);
    const delivery = { platePrintLimit: 7, allowPackages: true, payerType: ["sender"] };
    expect((await read("m")).integrations.delivery).toEqual(delivery);
    expect(faults()).toEqual([]);
  });
});

describe("the answer to a registration", () => {
  it("is an empty list where there is nothing to tell", async () => {
    const { edit, faults } = account();
    expect((await edit(of("store"))).body).toEqual({ success: true, info: [] });
    expect(faults()).toEqual([]);
  });

  it("names users and shops that a telephony module knows and the account does not", async () => {
    const { edit, faults } = account();
    const settings = {
      additionalCodes: [{ userId: 1 }, { userId: 77 }],
      externalPhones: [{ siteCode: "shop" }, { siteCode: "elsewhere" }],
    };
    const { body } = await edit(of("telephony", settings));
    expect(body.info).toEqual({ notExistUsersIds: [77], notExistSiteCodes: ["elsewhere"] });
    expect(faults()).toEqual([]);
  });

  it("tells a delivery module its delivery type, which is the same at the next registration", async () => {
    const { edit, crm, faults } = account();
    const { info } = (await edit(of("delivery"))).body as { info?: { deliveryType: object } };
    expect(info?.deliveryType).toMatchObject({ id: expect.any(Number), code: "m", name: "M", integrationCode: "m" });
    expect((await edit(module({ ...of("delivery"), name: "New" }))).body.info).toEqual(info);
    const { deliveryTypes } = (await crm("GET", "/api/v5/reference/delivery-types")).body;
    expect(deliveryTypes).toMatchObject({ m: info?.deliveryType });
    const taken = (await edit({ ...of("delivery"), code: "parcel" })).body as { info?: typeof info };
    expect(taken.info?.deliveryType).toMatchObject({ code: expect.stringMatching(/^parcel-\d+$/) });
    expect(faults()).toEqual([]);
  });
});
