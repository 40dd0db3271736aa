import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { type Account, account, chatting } from "./account.ts";
import { CONTRAGENT } from "./crm-samples.ts";
import { describeList } from "./list-promises.ts";

const ROOT = "/api/v5/customers";
const DAY_MS = 24 * 3_600_000;
const ANN = { externalId: "ann", firstName: "Ann", email: "ann@a.example", sex: "female" };

/** Recorded of new customers. */
const BLANK = {
  ...{ marginSumm: 0, totalSumm: 0, averageSumm: 0, ordersCount: 0 },
  ...{ customFields: [], personalDiscount: 0, cumulativeDiscount: 0 },
};

function customers<T extends Account>(own: T) {
  const create = async (customer: object, more: object = {}) =>
    Number((await own.submit(`${ROOT}/create`, { customer, ...more })).body.id);
  const edit = (id: number, customer: object) =>
    own.crm("POST", `${ROOT}/${id}/edit`, { by: "id", customer: JSON.stringify(customer) });
  const read = async (id: number) => (await own.crm("GET", `${ROOT}/${id}?by=id`)).body.customer as Json;
  const history = async (query = "") =>
    ((await own.crm("GET", `${ROOT}/history?${query}`)).body.history ?? []) as Json[];
  return { ...own, create, edit, read, history };
}

/** Kim came through a channel; the others were made by the API, some two days later. */
async function several() {
  const own = customers(await chatting());
  const { create, submit, wait, world, json } = own;
  const [kim = 0] = world.customers.keys();
  await submit("/api/v5/custom-fields/customer/create", {
    customField: { code: "size", name: "Size", type: "integer" },
  });
  const address = { countryIso: "MT", city: "Valletta", region: "Malta" };
  const source = { source: "search", medium: "cpc", campaign: "spring", keyword: "rope", content: "banner" };
  const ann = await create({
    ...ANN,
    address,
    source,
    vip: true,
    customFields: { size: 42 },
    browserId: "b1",
    managerId: 1,
    discountCardNumber: "card-1",
    addTags: ["sailor"],
    attachedTag: "crew",
  });
  await submit(`${ROOT}/notes/create`, { note: { text: "Pays late", customer: { id: ann } } });
  await submit("/api/v5/tasks/create", {
    task: { text: "Call", datetime: "2026-05-01 09:00", performerId: 1, customer: { id: ann } },
  });
  wait(2 * DAY_MS);
  await json("POST", "/sandbox/agents", { first_name: "Sam" });
  const bob = await create({ externalId: "bob", firstName: "Bob", lastName: "Annson", sex: "male", subscribed: false });
  const firm = await create({
    externalId: "firm",
    firstName: "Firm",
    bad: true,
    isContact: true,
    contragent: CONTRAGENT,
  });
  return { ...own, kim, ann, bob, firm };
}

describe('"GET … /api/v5/customers … Customer list."', () => {
  describeList({
    path: ROOT,
    many: "customers",
    prepare: several,
    found: ({ kim, ann, bob, firm, channel }) => ({
      [`ids][]=${ann}&filter[ids][]=${firm}`]: [ann, firm],
      [`ids][0]=${bob}`]: [bob],
      "externalIds][]=bob": [bob],
      "name]=ann": [ann, bob],
      "email]=@a.example": [ann],
      "sex]=male": [bob],
      "sex]=female_with_presumable": [ann],
      [`mgChannels][]=${channel}`]: [kim],
      [`mgCustomerId]=${kim}`]: [kim],
      "isContact]=1": [firm],
      "vip]=1": [ann],
      "bad]=true": [firm],
      "online]=1": [],
      "abandonedCart]=1": [],
      "emailMarketingUnsubscribed]=1": [bob],
      "subscriptions][news]=1": [],
      "dateFrom]=2026-05-02": [bob, firm],
      "dateTo]=2026-05-01": [kim, ann],
      "countries][]=MT": [ann],
      "city]=valletta": [ann],
      "region]=malta": [ann],
      "notes]=late": [ann],
      "commentary]=x": [],
      "sites][]=shop": [kim, ann, bob, firm],
      "managers][]=1": [ann],
      "managerGroups][]=director": [ann],
      "managerGroups][]=x": [],
      "discountCardNumber]=card-1": [ann],
      "browserId]=b1": [ann],
      "tags][]=sailor": [ann],
      "attachedTags][]=crew": [ann],
      "attachedTags][]=sailor": [],
      "classSegment]=x": [],
      "segment]=x": [],
      "sourceName]=search": [ann],
      "mediumName]=cpc": [ann],
      "campaignName]=spring": [ann],
      "keywordName]=rope": [ann],
      "adContentName]=banner": [ann],
      "customFields][size]=42": [ann],
      "customFields][size][min]=43": [],
      "customFields][size][max]=42": [ann],
      "tasksCounts]=1": [kim, bob, firm],
      "tasksCounts]=2": [ann],
      "tasksCounts]=3": [ann],
      "attachments]=3": [kim, ann, bob, firm],
      "minOrdersCount]=1": [],
      "maxOrdersCount]=1": [kim, ann, bob, firm],
      "minAverageSumm]=1": [],
      "maxAverageSumm]=1": [kim, ann, bob, firm],
      "minTotalSumm]=1": [],
      "maxTotalSumm]=1": [kim, ann, bob, firm],
      "minCostSumm]=1": [],
      "maxCostSumm]=1": [kim, ann, bob, firm],
      "firstOrderFrom]=2026-01-01": [],
      "firstOrderTo]=2026-01-01": [],
      "lastOrderFrom]=2026-01-01": [],
      "lastOrderTo]=2026-01-01": [],
      "firstWebVisitFrom]=2026-01-01": [],
      "firstWebVisitTo]=2026-01-01": [],
      "lastWebVisitFrom]=2026-01-01": [],
      "lastWebVisitTo]=2026-01-01": [],
      "contragentName]=firm": [firm],
      "contragentTypes][]=legal-entity": [firm],
      "contragentTypes][]=individual": [],
      "contragentInn]=1": [firm],
      "contragentKpp]=2": [firm],
      "contragentBik]=3": [firm],
      "contragentCorrAccount]=4": [firm],
      "contragentBankAccount]=5": [firm],
    }),
  });
});

describe("a customer", () => {
  it('is kept as given: "/api/v5/customers/create … Create a customer." / "/api/v5/customers/{externalId}/edit … Edit a customer." / "POST … /api/v5/customers/{externalId} … Customer information as the source states it."', async () => {
    const { create, edit, read, crm, faults } = customers(account());
    const id = await create({ ...ANN, phones: [{ number: "+356 2100 0000" }], id: 7, totalSumm: 9, unheard: 1 });
    const known = {
      ...BLANK,
      type: "customer",
      id,
      ...ANN,
      createdAt: "2026-05-01 10:00:00",
      site: "shop",
      isContact: false,
      vip: false,
      bad: false,
      phones: [{ number: "+356 2100 0000" }],
      segments: [],
    };
    expect(await read(id)).toEqual(known);
    expect((await edit(id, { lastName: "Ray", address: { city: "Mdina" } })).body).toEqual({ success: true, id });
    await edit(id, { address: { flat: "4" }, sex: "male" });
    const edited = { ...known, lastName: "Ray", sex: "male", address: { id, city: "Mdina", flat: "4" } };
    expect(await read(id)).toEqual(edited);
    for (const [method, path] of [
      ["GET", `${ROOT}/ann`],
      ["GET", `${ROOT}/ann?site=shop`],
      ["POST", `${ROOT}/ann`],
    ] as const)
      expect((await crm(method, path)).body.customer).toEqual(edited);
    expect(faults()).toEqual([]);
  });

  it("without orders has sums of nothing, as recorded, and is found by them", async () => {
    const { create, submit, read, crm, faults } = customers(account());
    const [ann, bob] = [await create({ externalId: "ann" }), await create({ externalId: "bob" })];
    await submit("/api/v5/orders/create", { order: { customer: { id: bob }, items: [{ initialPrice: 5 }] } });
    expect(await read(ann)).toMatchObject(BLANK);
    for (const [filter, id] of [
      ["maxOrdersCount]=0", ann],
      ["maxTotalSumm]=4", ann],
      ["minOrdersCount]=1", bob],
    ])
      expect((await crm("GET", `${ROOT}?filter[${filter}`)).body.customers).toMatchObject([{ id }]);
    expect(faults()).toEqual([]);
  });

  it('"customer[sex] … R, W … enum: male, female … Present in all customer methods under /api/v5/customers*. A filter on it exists in the customer list." / "GET … /api/v5/customers … Filter on sex."', async () => {
    const { create, edit, history, submit, crm, faults } = customers(account());
    const ann = await create({ externalId: "ann", sex: "male" });
    await submit(`${ROOT}/upload`, { customers: [{ externalId: "bob", sex: "male" }] });
    const list = async (query = "") =>
      ((await crm("GET", `${ROOT}${query}`)).body.customers as Json[]).map(({ externalId, sex }) => [externalId, sex]);
    const both = [
      ["ann", "female"],
      ["bob", "male"],
    ];
    await edit(ann, { sex: "female" });
    expect(await list()).toEqual(both);
    expect([await list("?filter[sex]=female"), await list("?filter[sex]=male")]).toEqual(both.map((one) => [one]));
    for (const method of ["GET", "POST"])
      expect((await crm(method, `${ROOT}/ann`)).body.customer).toMatchObject({ sex: "female" });
    expect(await history(`filter[customerId]=${ann}`)).toMatchObject([
      { created: true, customer: { sex: "male" } },
      { field: "sex", oldValue: "male", newValue: "female" },
    ]);
    expect(faults()).toEqual([]);
    const wrong = { externalId: "cat", sex: "none" };
    const refused = [
      await submit(`${ROOT}/create`, { customer: wrong }),
      await submit(`${ROOT}/ann/edit`, { customer: { sex: "none" } }),
      await submit(`${ROOT}/upload`, { customers: [wrong] }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 460]);
    expect(await list()).toEqual(both);
  });

  it("is named by its externalId, or by its id, in its shop", async () => {
    const { create, crm } = customers(account());
    const id = await create(ANN);
    for (const path of [`${ROOT}/${id}`, `${ROOT}/ann?by=id`, `${ROOT}/ann?site=other`, `${ROOT}/bob`])
      expect([path, await crm("GET", path)]).toMatchObject([path, { status: 404, body: { errorMsg: "Not found" } }]);
    expect((await crm("GET", `${ROOT}/ann?by=name`)).status).toBe(400);
  });

  it.each([
    [{}, "Parameter 'externalId' in 'customer' is missing", undefined],
    [{ externalId: "ann" }, "Errors in the entity format", { externalId: "This value is already used." }],
    [{ managerId: 9 }, "Errors in the entity format", { managerId: "This value is not valid." }],
    [{ sex: "none" }, "Errors in the entity format", { sex: expect.any(String) }],
    [{ customFields: { size: 4 } }, "Errors in the entity format", { "customFields.size": "This value is not valid." }],
    [
      { commentary: "late" },
      "Errors in the entity format",
      { commentary: "removed in version 5, use POST /api/v5/customers/notes/create" },
    ],
  ])("with %o is refused", async (customer, errorMsg, errors) => {
    const { create, submit, world } = customers(account());
    await create(ANN);
    const { status, body } = await submit(`${ROOT}/create`, { customer });
    expect([status, body.errorMsg, body.errors]).toEqual([400, errorMsg, errors]);
    expect(world.tables.customers.rows.size).toBe(1);
  });

  it("has values in custom fields: typed, from a data book, or a day", async () => {
    const { create, read, submit, edit } = customers(account());
    const elements = [{ name: "Red", code: "red" }];
    await submit("/api/v5/custom-fields/dictionaries/create", { customDictionary: { name: "C", code: "c", elements } });
    const types = { flag: "boolean", born: "date", colour: "dictionary", colours: "multiselect_dictionary" };
    for (const [code, type] of Object.entries(types)) {
      const customField = { code, name: code, type, ...(code.startsWith("col") && { dictionary: "c" }) };
      await submit("/api/v5/custom-fields/customer/create", { customField });
    }
    const customFields = { flag: true, born: "2000-01-02", colour: "red", colours: ["red"] };
    const id = await create({ ...ANN, customFields });
    expect((await read(id)).customFields).toEqual(customFields);
    for (const wrong of [{ flag: "maybe" }, { born: "soon" }, { colour: "blue" }, { colours: ["blue"] }])
      expect([wrong, (await edit(id, { customFields: wrong })).status]).toEqual([wrong, 400]);
  });

  it("has tags: written as texts, read as objects", async () => {
    const { create, edit, read } = customers(account());
    const id = await create({ ...ANN, tags: ["a", "b"], attachedTag: "c" });
    await edit(id, { addTags: ["d"], removeTags: ["a"] });
    expect((await read(id)).tags).toEqual(["b", "c", "d"].map((name) => ({ name, attached: name === "c" })));
  });

  it("of a chat has the name that it was given there, and is found by it", async () => {
    const { read, world, channel } = customers(await chatting());
    const [kim = 0] = world.customers.keys();
    expect(await read(kim)).toMatchObject({
      firstName: "Jo",
      mgCustomers: [{ id: kim, mgChannel: { id: channel, type: "custom", active: true } }],
    });
  });
});

describe("customers", () => {
  it('are loaded fifty at a time, and those that are refused leave the others be: "/api/v5/customers/upload … Mass upload."', async () => {
    const { submit, crm, faults } = customers(account());
    const given = [ANN, { externalId: "bob", managerId: 9 }, { externalId: "cat" }];
    const { status, body } = await submit(`${ROOT}/upload`, { customers: given });
    expect([status, body]).toEqual([
      460,
      {
        success: false,
        errorMsg: "Customers are loaded with errors",
        errors: { managerId: "This value is not valid." },
        uploadedCustomers: ["ann", "cat"].map((externalId) => ({ id: expect.any(Number), externalId })),
        failedCustomers: [{ externalId: "bob" }],
      },
    ]);
    expect((await crm("GET", ROOT)).body.customers).toMatchObject([{ externalId: "ann" }, { externalId: "cat" }]);
    expect(await submit(`${ROOT}/upload`, { customers: [{ externalId: "dan" }] })).toMatchObject({
      status: 200,
      body: { success: true, uploadedCustomers: [{ externalId: "dan" }], failedCustomers: [] },
    });
    expect(faults()).toEqual([]);
    const many = Array.from({ length: 51 }, (_, n) => ({ externalId: `many-${n}` }));
    expect((await submit(`${ROOT}/upload`, { customers: many })).status).toBe(400);
  });

  it("are refused one by one where their format is wrong, and all together only where the upload itself is", async () => {
    const { submit, crm, faults } = customers(account());
    const wrong = [{ externalId: "bob", birthday: "soon" }, { externalId: 7 }];
    const { status, body } = await submit(`${ROOT}/upload`, { customers: [ANN, ...wrong, { externalId: "cat" }] });
    expect([status, body]).toEqual([
      460,
      {
        success: false,
        errorMsg: "Customers are loaded with errors",
        errors: { birthday: "is not a date (Y-m-d)", externalId: "must be string" },
        uploadedCustomers: ["ann", "cat"].map((externalId) => ({ id: expect.any(Number), externalId })),
        failedCustomers: [{ externalId: "bob" }, {}],
      },
    ]);
    // The call log shows where.
    expect([...new Set(faults())]).toEqual([
      "/customers/1/birthday is not a date (Y-m-d)",
      "/customers/2/externalId must be string",
    ]);
    for (const whole of [[{ externalId: "dan" }, "text"], [], "text"])
      expect((await submit(`${ROOT}/upload`, { customers: whole })).status).toBe(400);
    expect((await crm("GET", ROOT)).body.customers).toMatchObject([{ externalId: "ann" }, { externalId: "cat" }]);
  });

  it('become one: "/api/v5/customers/combine … Combines several customers into one. On a field conflict the data of the end customer is kept. Data needed from the customers to be deleted must first be moved to the main customer."', async () => {
    const { ann, bob, kim, edit, submit, crm, read, history, faults } = await several();
    await edit(bob, { discountCardNumber: "card-1" });
    const combine = (resultCustomer: object, others: object[]) =>
      submit(`${ROOT}/combine`, { resultCustomer, customers: others });
    expect((await combine({ id: bob }, [{ id: ann }, { id: kim }])).body).toEqual({ success: true });
    const moved = { discountCardNumber: "card-1" };
    expect(await read(bob)).toMatchObject({
      firstName: "Bob",
      sex: "male",
      vip: false,
      ...moved,
      mgCustomers: [{ id: kim }],
    });
    for (const field of ["email", "address", "source", "managerId"]) expect(await read(bob)).not.toHaveProperty(field);
    expect(await read(bob)).toMatchObject({ customFields: [] });
    expect(((await crm("GET", ROOT)).body.customers as Json[]).map(({ externalId }) => externalId)).toEqual([
      "bob",
      "firm",
    ]);
    for (const path of [`${ROOT}/ann`, `${ROOT}/${ann}?by=id`])
      expect(await crm("GET", path)).toMatchObject({ status: 404, body: { combinedTo: { id: bob } } });
    const notes = (await crm("GET", `${ROOT}/notes`)).body.notes;
    expect(notes).toMatchObject([{ text: "Pays late", customer: { id: bob } }]);
    expect((await history(`filter[customerId]=${ann}`)).at(-1)).toMatchObject({
      source: "combine",
      deleted: true,
      field: "id",
      oldValue: ann,
      newValue: null,
      combinedTo: { id: bob },
    });
    expect(faults()).toEqual([]);
    for (const [into, others] of [
      [{ id: bob }, [{ id: bob }]],
      [{ id: 7 }, [{ id: bob }]],
      [{ id: bob }, []],
    ] as const)
      expect((await combine(into, [...others])).body.errorMsg).toBe("Invalid input parameters");
  });
});

describe("the history of customers", () => {
  it("tells each phone, and each segment that a customer comes into or leaves, as recorded", async () => {
    const { create, edit, history, json, faults } = customers(account());
    const ann = await create({ externalId: "ann", vip: true, phones: [{ number: "1" }, { number: "2" }] });
    await edit(ann, { vip: false, phones: [{ number: "2" }, { number: "3" }] });
    await json("POST", "/sandbox/segments", { code: "guests", name: "Guests", customers: [ann] });
    expect((await history()).map((each) => [each.source, each.field, each.oldValue, each.newValue])).toEqual([
      ["api", "id", null, ann],
      ["code", "segments", null, { code: "vip" }],
      ["api", "phones", "1", null],
      ["api", "phones", null, "3"],
      ["api", "vip", true, false],
      ["code", "segments", { code: "vip" }, null],
      ["code", "segments", null, { code: "guests" }],
    ]);
    expect(faults()).toEqual([]);
  });

  it('tells each change, by whom and when: "/api/v5/customers/history … History of changes."', async () => {
    const { create, edit, history, crm, json, faults, wait } = customers(account());
    await json("POST", "/sandbox/keys", { key: "other", scopes: ["customer_read", "customer_write"] });
    const id = await create(ANN);
    wait(1_000);
    await edit(id, { lastName: "Ray", managerId: 1, address: { city: "Mdina" }, sex: "female" });
    const lastName = { by: "id", customer: JSON.stringify({ lastName: "Rain" }) };
    await crm("POST", `${ROOT}/${id}/edit`, lastName, "other");
    const common = {
      id: expect.any(Number),
      createdAt: "2026-05-01 10:00:01",
      source: "api",
      apiKey: { current: true },
    };
    const customer = { id, externalId: "ann", site: "shop" };
    const told = await history();
    expect(told).toEqual([
      {
        ...common,
        createdAt: "2026-05-01 10:00:00",
        created: true,
        field: "id",
        oldValue: null,
        newValue: id,
        customer: expect.objectContaining({ ...ANN, id }),
      },
      { ...common, field: "last_name", oldValue: null, newValue: "Ray", customer },
      { ...common, field: "manager", oldValue: null, newValue: { id: 1 }, customer },
      { ...common, field: "address.city", oldValue: null, newValue: "Mdina", customer },
      { ...common, apiKey: { current: false }, field: "last_name", oldValue: "Ray", newValue: "Rain", customer },
    ]);
    const since = Number(told[1]?.id);
    const cases: [string, number][] = [
      [`filter[sinceId]=${since}`, 3],
      [`filter[sinceId]=${told.at(-1)?.id}`, 0],
      [`filter[customerId]=${id}`, 5],
      ["filter[customerId]=7", 0],
      ["filter[customerExternalId]=ann", 5],
      ["filter[customerExternalId]=bob", 0],
      ["filter[startDate]=2026-05-01 10:00:01", 4],
      ["filter[endDate]=2026-05-01 10:00:00", 1],
    ];
    for (const [query, count] of cases) expect([query, (await history(query)).length]).toEqual([query, count]);
    expect(faults()).toEqual([]);
    const both = await crm("GET", `${ROOT}/history?filter[sinceId]=1&page=2`);
    expect([both.status, both.body.errorMsg]).toEqual([400, "Errors in the input parameters"]);
  });
});

describe("contractor data", () => {
  /** The spec's own list, and what each finds. */
  const FILTERS =
    "filter[contragentName], filter[contragentTypes][], filter[contragentInn], filter[contragentKpp], filter[contragentBik], filter[contragentCorrAccount], filter[contragentBankAccount]".split(
      ", ",
    );
  const VALUES = ["firm", "legal-entity", "1", "2", "3", "4", "5"];

  /** Three customers who are given contractor data: by create, by edit and by upload. */
  async function given(corporateOn: boolean) {
    const own = customers(account());
    await own.switches({ corporateOn });
    const contragent = CONTRAGENT;
    const ids = [await own.create({ externalId: "a", contragent }), await own.create({ externalId: "b" })];
    await own.edit(ids[1] ?? 0, { contragent });
    await own.submit(`${ROOT}/upload`, { customers: [{ externalId: "c", contragent }] });
    const list = async (query = "") => (await own.crm("GET", `${ROOT}?${query}`)).body.customers as Json[] | undefined;
    const got = async (method: string) =>
      Promise.all(["a", "b", "c"].map(async (key) => (await own.crm(method, `${ROOT}/${key}`)).body.customer as Json));
    const shown = async () => [...((await list()) ?? []), ...(await got("GET")), ...(await got("POST"))];
    return { ...own, list, shown };
  }

  it('"customers[][contragent] … compatibility mode only … Exists only for accounts that have not enabled corporate customers. Also present in create, edit, mass upload and get of a customer."', async () => {
    const off = await given(false);
    expect((await off.shown()).map(({ contragent }) => contragent)).toEqual(Array(9).fill(CONTRAGENT));
    expect(off.faults()).toEqual([]);
    const on = await given(true);
    const { rows, put } = on.world.tables.customers;
    const bare = async () => (await on.shown()).filter((customer) => customer && !("contragent" in customer));
    expect(await bare()).toHaveLength(9);
    expect([...rows.values()].filter(({ contragent }) => contragent)).toEqual([]);
    // Nor is what is kept of before.
    for (const customer of [...rows.values()]) put({ ...customer, contragent: CONTRAGENT });
    expect(await bare()).toHaveLength(9);
  });

  it('"Contractor fields of customers remain only in compatibility mode for accounts without corporate customers.": those of before are no longer shown, nor written', async () => {
    const { create, edit, read, switches } = customers(account());
    const id = await create({ ...ANN, contragent: { INN: "" } });
    expect(await read(id)).toMatchObject({ contragent: { INN: "" } });
    await switches({ corporateOn: true });
    expect(await read(id)).not.toHaveProperty("contragent");
    await edit(id, { contragent: { INN: "7" } });
    expect(await read(id)).not.toHaveProperty("contragent");
  });

  it('"filter[contragentName], filter[contragentTypes][], filter[contragentInn], filter[contragentKpp], filter[contragentBik], filter[contragentCorrAccount], filter[contragentBankAccount] … compatibility mode only … Filters of the customer list."', async () => {
    const [off, on] = [await given(false), await given(true)];
    for (const [n, filter] of FILTERS.entries()) {
      const query = `${filter}=${VALUES[n]}`;
      expect([query, (await off.list(query))?.length]).toEqual([query, 3]);
      expect([query, (await on.crm("GET", `${ROOT}?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await off.list("filter[contragentInn]=9"))?.length).toBe(0);
    expect(off.faults()).toEqual([]);
  });
});
