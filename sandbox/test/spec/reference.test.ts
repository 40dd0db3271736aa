import { describe, expect, it } from "vitest";
import { servedContract } from "../../src/crm/contract.ts";
import { DICTIONARIES } from "../../src/crm/reference/dictionaries.ts";
import { SANDBOX_KEY } from "../../src/crm/rights.ts";
import { account, chatting } from "./account.ts";

type Entry = Record<string, unknown>;
const ROOT = "/api/v5/reference";
const EDITABLE = DICTIONARIES.flatMap(({ path, many, one, ids }) => (one && !ids ? { path, many, one } : []));

/** An account whose dictionaries are read and edited by the API. */
function dictionaries() {
  const own = account();
  const list = async (path: string) => {
    const { status, body } = await own.crm("GET", `${ROOT}/${path}`);
    const { many = "" } = DICTIONARIES.find((each) => each.path === path) ?? {};
    return { status, entries: body[many] as Record<string, Entry> };
  };
  const edit = (path: string, form: Entry) => own.submit(`${ROOT}/${path}`, form);
  return { ...own, list, edit };
}
/** Fields of every recorded entry. */
const ALWAYS: Record<string, string> = {
  stores: "inventoryType address active code workTime name",
  units: "code name sym default active",
  statuses: "name code active ordering group",
  "order-methods": "name code active defaultForCrm defaultForApi isFromPos",
  "order-types": "name code active defaultForCrm defaultForApi ordering",
  "payment-types": "name code active defaultForCrm defaultForApi deliveryTypes paymentStatuses",
  "payment-statuses": "name code active defaultForCrm defaultForApi paymentComplete ordering paymentTypes",
  "price-types": "id code name active default geo groups ordering",
  "delivery-types":
    "isDynamicCostCalculation isAutoCostCalculation isAutoNetCostCalculation isCostDependsOnRegionAndWeightAndSum isCostDependsOnDateTime currency name code active defaultCost defaultNetCost paymentTypes deliveryServices defaultForCrm deliveryPaymentTypes sites",
  "delivery-services": "name code active",
  sites: "id name code defaultForCrm loadFromYml countryIso currency catalogId isCatalogMainSite ordering isDemo",
  "product-statuses": "code ordering active createdAt cancelStatus name",
  "cost-groups": "code name ordering active color",
  "cost-items": "code name group ordering active appliesToOrders type appliesToUsers",
};
/** What a new entry says of itself there. */
const GIVEN: Record<string, Entry> = {
  units: { sym: "fr" },
  statuses: { group: "new" },
  "cost-items": { group: "fees" },
};

const values = (entries: Record<string, Entry> | Entry[]) => Object.values(entries) as Entry[];

const anything = (fields: string[]) => Object.fromEntries(fields.map((field) => [field, expect.anything()]));

describe("the dictionaries", () => {
  it("serve every operation that the contract has under /reference", () => {
    const inContract = servedContract().flatMap(([, { paths }]) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        (path.startsWith(ROOT) ? Object.keys(methods) : []).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    const described = DICTIONARIES.flatMap(({ path, one, ids }) => [
      `GET ${ROOT}/${path}`,
      ...(ids ? [`POST ${ROOT}/${path}/create`] : []),
      ...(one ? [`POST ${ROOT}/${path}/{${ids ? "id" : "code"}}/edit`] : []),
    ]);
    expect(described.sort()).toEqual(inContract.sort());
    expect(inContract.length).toBe(33);
  });

  it.each(DICTIONARIES.map(({ path }) => path))("answer as the contract says: %s", async (path) => {
    const { list, faults } = dictionaries();
    expect((await list(path)).status).toBe(200);
    expect(faults()).toEqual([]);
  });

  it.each(EDITABLE)(
    "create an entry of $path by its first edit, and keep what a later one leaves out",
    async (each) => {
      const { list, edit, faults } = dictionaries();
      const { path, one } = each;
      const before = values((await list(path)).entries).length;
      const given = { code: "fresh", name: "Fresh", ...(path === "units" && { sym: "fr" }) };
      expect((await edit(`${path}/fresh/edit`, { [one]: given })).body).toEqual({ success: true });
      // Sites have no such flag.
      const change = path === "sites" ? { ordering: 5 } : { active: false };
      expect((await edit(`${path}/fresh/edit`, { [one]: change })).body).toEqual({ success: true });
      const entries = values((await list(path)).entries);
      expect(entries).toHaveLength(before + 1);
      expect(entries.at(-1)).toMatchObject({ ...given, ...change });
      expect(faults()).toEqual([]);
    },
  );

  it.each(EDITABLE)("give every entry of $path what recorded ones always have, also a new one", async (each) => {
    const { list, edit, faults } = dictionaries();
    const { path, one } = each;
    await edit("cost-groups/fees/edit", { costGroup: { name: "Fees" } });
    await edit(`${path}/fresh/edit`, { [one]: { name: "Fresh", ...GIVEN[path] } });
    const entries = values((await list(path)).entries);
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) expect(entry).toMatchObject(anything(ALWAYS[path]?.split(" ") ?? []));
    expect(faults()).toEqual([]);
  });

  it("say when a product's status came and number what has an id, whatever is given", async () => {
    const { list, edit } = dictionaries();
    const given = { name: "Fresh", id: 1, createdAt: "2001-01-01 00:00:00" };
    await edit("product-statuses/fresh/edit", { productStatus: given });
    await edit("sites/fresh/edit", { site: given });
    const [status, site] = [(await list("product-statuses")).entries.fresh, (await list("sites")).entries.fresh];
    expect(status?.createdAt).toBe("2026-05-01 10:00:00");
    expect(site?.id).toBeGreaterThan(1);
  });

  it("take their code from the path", async () => {
    const { list, edit } = dictionaries();
    await edit("units/box/edit", { unit: { code: "other", name: "Box", sym: "bx" } });
    expect(Object.keys((await list("units")).entries)).toEqual(["pc", "m", "box"]);
  });

  it("say which shop is meant where none is named: of a chat's customer, a product group, and in the settings", async () => {
    const { submit, crm, post, world, faults } = await chatting();
    const market = { code: "market", name: "Market", defaultForCrm: true };
    await submit(`${ROOT}/sites/market/edit`, { site: market });
    await post("hello", { external_chat_id: "chat-2", customer: { external_id: "u2", nickname: "Max" } });
    const group = { name: "Boats" };
    await submit("/api/v5/store/product-groups/create", { productGroup: group });
    const { settings } = (await crm("GET", "/api/v5/settings")).body;
    expect([...world.tables.customers.rows.values()].map(({ site }) => site)).toEqual(["shop", "market"]);
    expect([...world.tables.productGroups.rows.values()].at(-1)).toMatchObject({ ...group, site: "market" });
    expect(settings).toMatchObject({ mg: { order_creation: { default: { site: "market" } } } });
    expect(faults()).toEqual([]);
  });

  it("of one account are not another's", async () => {
    const one = dictionaries();
    await one.edit("units/m/edit", { unit: { default: true } });
    expect((await dictionaries().list("units")).entries.pc).toMatchObject({ default: true });
    expect((await one.list("units")).entries).toMatchObject({ pc: { default: false }, m: { default: true } });
  });
});

describe("a warehouse", () => {
  it('"/api/v5/reference/stores* … Warehouses, with coordinates." / "These apply to the methods under /api/v5/reference/stores*." / "store[address][coordinates][latitude] … R, W … latitude" / "store[address][coordinates][longitude] … R, W … longitude": in JSON and in brackets, beside the rest of the address', async () => {
    const { crm, list, faults } = dictionaries();
    const json = { store: '{"address":{"coordinates":{"latitude":1.5,"longitude":-2}}}' };
    await crm("POST", `${ROOT}/stores/quay/edit`, json);
    // Recorded: warehouses are a list.
    const store = async (code: string) =>
      ((await list("stores")).entries as unknown as Entry[]).find((entry) => entry.code === code);
    const address = async () => (await store("quay"))?.address;
    expect(await address()).toMatchObject({ city: "Valletta", coordinates: { latitude: 1.5, longitude: -2 } });
    await crm("POST", `${ROOT}/stores/quay/edit`, { "store[address][coordinates][latitude]": "35.9" });
    expect(await address()).toMatchObject({ city: "Valletta", coordinates: { latitude: 35.9, longitude: -2 } });
    expect(faults()).toEqual([]);
    const made = { name: "Pier", address: { coordinates: { latitude: 0, longitude: 179.5 } } };
    await crm("POST", `${ROOT}/stores/pier/edit`, { store: JSON.stringify(made) });
    expect(await store("pier")).toMatchObject(made);
    for (const side of ["latitude", "longitude"])
      expect(
        await crm("POST", `${ROOT}/stores/quay/edit`, { store: `{"address":{"coordinates":{"${side}":"north"}}}` }),
      ).toMatchObject({
        status: 400,
        body: {
          errorMsg: "Errors in the entity format",
          errors: { [`address.coordinates.${side}`]: "must be number" },
        },
      });
  });
});

describe("a courier", () => {
  it('is created with an id and edited by it: "POST … /api/v5/reference/couriers/create … Create a courier." / "POST … /api/v5/reference/couriers/{id}/edit … Edit a courier." / "GET … /api/v5/reference/couriers … List of couriers."', async () => {
    const { list, edit, faults } = dictionaries();
    const { status, body } = await edit("couriers/create", { courier: { firstName: "Leo", phone: { number: "+1" } } });
    expect([status, body]).toEqual([201, { success: true, id: expect.any(Number) }]);
    expect((await edit(`couriers/${body.id}/edit`, { courier: { lastName: "Swift" } })).status).toBe(200);
    expect(values((await list("couriers")).entries).at(-1)).toEqual({
      id: body.id,
      firstName: "Leo",
      lastName: "Swift",
      phone: { number: "+1" },
      active: true,
    });
    expect(faults()).toEqual([]);
  });

  it("needs a first name and, to be edited, to exist", async () => {
    const { edit, list } = dictionaries();
    const before = (await list("couriers")).entries;
    expect(await edit("couriers/create", { courier: { lastName: "Swift" } })).toMatchObject({
      status: 400,
      body: { errorMsg: "Errors in the entity format", errors: { firstName: "Specify the first name" } },
    });
    expect(await edit("couriers/77/edit", { courier: { lastName: "Swift" } })).toMatchObject({
      status: 404,
      body: { success: false, errorMsg: "An attempt was made to edit a nonexistent record" },
    });
    expect((await list("couriers")).entries).toEqual(before);
  });
});

describe("an entry", () => {
  it("refers only to entries that exist", async () => {
    const { edit, list } = dictionaries();
    const before = (await list("statuses")).entries;
    expect(await edit("statuses/lost/edit", { status: { name: "Lost", group: "nowhere" } })).toMatchObject({
      status: 400,
      body: {
        errorMsg: "Errors in the entity format",
        errors: { group: '"group" with "code"="nowhere" does not exist.' },
      },
    });
    expect((await list("statuses")).entries).toEqual(before);
  });

  it("of a status stands in its group", async () => {
    const { edit, list } = dictionaries();
    await edit("statuses/lost/edit", { status: { name: "Lost", group: "cancel" } });
    expect((await list("status-groups")).entries.cancel?.statuses).toEqual(["cancel", "lost"]);
  });

  it('"POST … /api/v5/reference/units/{code}/edit … Create or edit a unit of measurement." / "GET … /api/v5/reference/units … Units of measurement.": a new one needs a name and a symbol', async () => {
    const { edit, list } = dictionaries();
    expect((await edit("units/box/edit", { unit: { name: "Box" } })).body).toMatchObject({
      errors: { sym: "This value should not be blank." },
    });
    await edit("units/box/edit", { unit: { name: "Box", sym: "bx" } });
    await edit("units/box/edit", { unit: { sym: "box" } });
    expect((await list("units")).entries.box).toEqual({
      ...{ code: "box", name: "Box", sym: "box" },
      ...{ active: true, default: false },
    });
  });

  it("that becomes the default is the only one", async () => {
    const { edit, list } = dictionaries();
    await edit("payment-types/cash/edit", { paymentType: { defaultForApi: true } });
    const { entries } = await list("payment-types");
    const flags = values(entries).map(({ code, defaultForApi, defaultForCrm }) => [code, defaultForApi, defaultForCrm]);
    expect(flags).toEqual([
      ["bank-card", false, true],
      ["cash", true, false],
    ]);
  });

  it("needs reference_read to be read and reference_write to be changed", async () => {
    const { crm, json } = dictionaries();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["reference_read"] });
    const unit = { unit: '{"name":"Box","sym":"bx"}' };
    const statuses = [
      (await crm("GET", `${ROOT}/units`, undefined, "reader")).status,
      (await crm("POST", `${ROOT}/units/box/edit`, unit, "reader")).status,
      (await crm("POST", `${ROOT}/units/box/edit`, unit, SANDBOX_KEY)).status,
    ];
    expect(statuses).toEqual([200, 403, 200]);
  });
});
