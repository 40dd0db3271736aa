import { describe, expect, it } from "vitest";
import { servedContract } from "../../src/crm/contract.ts";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";

const ROOT = "/api/v5/custom-fields";
const SIZES = { code: "sizes", name: "Sizes", elements: [{ code: "s", name: "Small", ordering: 10 }] };
const GIFT = { code: "gift", name: "Gift", type: "boolean", viewMode: "not_editable", displayArea: "delivery" };

/** A value of each filter, and what it finds. */
const QUERIES: [query: string, found: string[]][] = [
  ["filter[entity]=customer", ["text"]],
  ["filter[type][]=boolean&filter[type][]=date", ["gift"]],
  ["filter[viewMode][]=not_editable", ["gift"]],
  ["filter[displayArea][]=delivery", ["gift"]],
  ["filter[inFilter]=1", ["text"]],
  ["filter[name]=gif", ["gift"]],
  ["filter[code]=text", ["text"]],
  ["limit=250", ["gift", "text"]],
];

function fields() {
  const own = account();
  const post = (path: string, form: Json) => own.submit(`${ROOT}/${path}`, form);
  const get = async (path: string) => (await own.crm("GET", `${ROOT}${path}`)) as { status: number; body: Json };
  const codes = async (path: string) => {
    const { body } = await get(path);
    return ((body.customFields ?? body.customDictionaries) as Json[]).map(({ code }) => code);
  };
  return { ...own, post, get, codes };
}

describe("a data book", () => {
  it('is kept with its elements: "/api/v5/custom-fields/dictionaries/create … Create a data book." / "/api/v5/custom-fields/dictionaries/{code}/edit … Edit a data book." / "/api/v5/custom-fields/dictionaries/{code} … Information about a data book." / "/api/v5/custom-fields/dictionaries … List of custom data books."', async () => {
    const { post, get, codes, faults } = fields();
    const created = await post("dictionaries/create", { customDictionary: SIZES });
    expect([created.status, created.body]).toEqual([201, { success: true, code: "sizes" }]);
    expect((await get("/dictionaries/sizes")).body).toEqual({ success: true, customDictionary: SIZES });
    const elements = [...SIZES.elements, { code: "l", name: "Large" }];
    expect((await post("dictionaries/sizes/edit", { customDictionary: { elements } })).status).toBe(200);
    expect((await get("/dictionaries/sizes")).body.customDictionary).toEqual({ ...SIZES, elements });
    expect(await codes("/dictionaries?filter[name]=siz")).toEqual(["sizes"]);
    expect(await codes("/dictionaries?filter[code]=other")).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it.each([
    [{ ...SIZES, code: undefined }, "code", "This value should not be blank."],
    [{ ...SIZES, elements: [{ name: "Small" }] }, "elements[0].code", "This value should not be blank."],
    [SIZES, "code", "This value is already used."],
  ])("is refused by field: %#", async (customDictionary, field, words) => {
    const { post, codes } = fields();
    await post("dictionaries/create", { customDictionary: SIZES });
    expect(await post("dictionaries/create", { customDictionary })).toMatchObject({
      status: 400,
      body: { errorMsg: "Errors in the entity format", errors: { [field]: words } },
    });
    expect(await codes("/dictionaries")).toEqual(["sizes"]);
  });
});

describe("a custom field", () => {
  it('belongs to its entity: "/api/v5/custom-fields/{entity}/create … Create a custom field." / "/api/v5/custom-fields/{entity}/{code}/edit … Edit a custom field." / "/api/v5/custom-fields/{entity}/{code} … Information about a custom field." / "/api/v5/custom-fields … List of custom fields."', async () => {
    const { post, get, codes, faults } = fields();
    const created = await post("order/create", { customField: GIFT });
    expect([created.status, created.body]).toEqual([201, { success: true, code: "gift" }]);
    expect((await post("customer/create", { customField: GIFT })).status).toBe(201);
    // Recorded fields have all of these.
    const always = { required: false, inFilter: false, inList: false, inGroupActions: false, ordering: 50 };
    const known = { ...always, ...GIFT, entity: "order" };
    expect((await get("/order/gift")).body).toEqual({ success: true, customField: known });
    // Its code, entity and type stay.
    const change = { name: "As a gift", inFilter: true, type: "text", code: "other", entity: "company" };
    expect((await post("order/gift/edit", { customField: change })).body).toEqual({ success: true, code: "gift" });
    expect((await get("/order/gift")).body.customField).toEqual({ ...known, name: "As a gift", inFilter: true });
    expect((await get("/customer/gift")).body.customField).toMatchObject({ name: "Gift" });
    expect(faults()).toEqual([]);
    expect((await get("/company/gift")).body).toEqual({ success: false, errorMsg: "Not found" });
    expect((await post("company/gift/edit", { customField: change })).status).toBe(404);
    expect((await get("/planet/gift")).status).toBe(400);
    expect(await codes("")).toEqual(["gift", "gift"]);
  });

  it("can be edited unless it says otherwise", async () => {
    const { post, get } = fields();
    await post("order/create", { customField: { code: "text", name: "Text", type: "text" } });
    expect((await get("/order/text")).body.customField).toMatchObject({ viewMode: "editable", ordering: 50 });
  });

  it.each(QUERIES)("is found by %s", async (query, found) => {
    const { post, codes } = fields();
    await post("order/create", { customField: GIFT });
    await post("customer/create", { customField: { code: "text", name: "Text", type: "text", inFilter: true } });
    expect(await codes(`?${query}`)).toEqual(found);
  });

  it("is found by every filter of the contract", () => {
    const parameters = servedContract().flatMap(([, { paths }]) => (paths[ROOT]?.get?.parameters ?? []) as Json[]);
    const filters = parameters.map(({ name }) => String(name)).filter((name) => name.startsWith("filter"));
    expect(filters.length).toBeGreaterThan(5);
    const found = (filter: string) => QUERIES.some(([query]) => query.startsWith(`${filter}=`));
    expect(filters.filter((filter) => !found(filter))).toEqual([]);
  });

  it("of a data book's values needs a data book that exists", async () => {
    const { post } = fields();
    const customField = { code: "size", name: "Size", type: "multiselect_dictionary" };
    const refused = async (more: Json) =>
      (await post("order/create", { customField: { ...customField, ...more } })).body;
    expect(await refused({})).toMatchObject({ errors: { dictionary: "This value should not be blank." } });
    expect(await refused({ dictionary: "sizes" })).toMatchObject({
      errors: { dictionary: '"CustomDictionary" with "code"="sizes" does not exist.' },
    });
    await post("dictionaries/create", { customDictionary: SIZES });
    expect(await refused({ dictionary: "sizes" })).toEqual({ success: true, code: "size" });
    expect(await refused({ dictionary: "sizes" })).toMatchObject({ errors: { code: "This value is already used." } });
  });
});
