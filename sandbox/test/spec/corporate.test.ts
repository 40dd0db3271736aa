import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { type Account, account } from "./account.ts";
import { describeList } from "./list-promises.ts";

const ROOT = "/api/v5/customers-corporate";
const DAY_MS = 24 * 3_600_000;
/** Recorded of who never ordered. */
const NO_ORDERS = { marginSumm: 0, totalSumm: 0, averageSumm: 0, ordersCount: 0 };
const FIRM = { externalId: "firm", nickName: "Firm Ltd" };
const CONTRAGENT = {
  contragentType: "legal-entity",
  legalName: "Firm Limited",
  INN: "1",
  KPP: "2",
  BIK: "3",
  corrAccount: "4",
  bankAccount: "5",
};

function firms<T extends Account>(own: T) {
  const create = async (customerCorporate: object, more: object = {}) =>
    Number((await own.submit(`${ROOT}/create`, { customerCorporate, ...more })).body.id);
  const person = async (customer: object) =>
    Number((await own.submit("/api/v5/customers/create", { customer })).body.id);
  const write = (path: string, form: Record<string, unknown>) =>
    own.crm(
      "POST",
      `${ROOT}/${path}`,
      Object.fromEntries(
        Object.entries({ by: "id", ...form }).map(([name, value]) => [
          name,
          typeof value === "string" ? value : JSON.stringify(value),
        ]),
      ),
    );
  const edit = (id: number, customerCorporate: object) => write(`${id}/edit`, { customerCorporate });
  const add = async (path: string, one: string, given: object) =>
    Number((await write(`${path}/create`, { [one]: given })).body.id);
  const list = async (path: string, many = path.split("/").at(-1) ?? "") =>
    ((await own.crm("GET", `${ROOT}/${path}?by=id`)).body[many] ?? []) as Json[];
  const read = async (id: number) => (await own.crm("GET", `${ROOT}/${id}?by=id`)).body.customerCorporate as Json;
  const history = async (query = "") =>
    ((await own.crm("GET", `${ROOT}/history?${query}`)).body.history ?? []) as Json[];
  return { ...own, create, person, write, edit, add, list, read, history };
}

/** A firm with all that a filter can look for, and two days later another. */
async function several() {
  const own = firms(account());
  const { create, person, submit, wait, world } = own;
  await submit("/api/v5/custom-fields/customer_corporate/create", {
    customField: { code: "size", name: "Size", type: "integer" },
  });
  const ann = await person({ externalId: "ann", firstName: "Ann", lastName: "Ray", email: "ann@a.example" });
  const firm = await create({
    ...FIRM,
    vip: true,
    managerId: 1,
    discountCardNumber: "card-1",
    customFields: { size: 42 },
    addresses: [{ externalId: "quay", name: "Quay office", city: "Valletta", region: "Malta" }],
    companies: [{ externalId: "sail", name: "Sail works", isMain: true, contragent: CONTRAGENT }],
    customerContacts: [{ customer: { externalId: "ann" }, companies: [{ company: { externalId: "sail" } }] }],
  });
  await submit(`${ROOT}/notes/create`, { note: { text: "Pays late", managerId: 1, customer: { id: firm } } });
  await submit("/api/v5/tasks/create", {
    task: { text: "Call", datetime: "2026-05-01 09:00", performerId: 1, customer: { id: firm } },
  });
  wait(2 * DAY_MS);
  const other = await create({ externalId: "other", nickName: "Other", bad: true });
  const parts = (many: string) => (world.tables.corporate.rows.get(firm)?.[many] ?? []) as Json[];
  const idOf = (many: string) => parts(many)[0]?.id;
  return { ...own, ann, firm, other, idOf };
}

describe('"/api/v5/customers-corporate … List matching the filter."', () => {
  describeList({
    path: ROOT,
    many: "customersCorporate",
    prepare: several,
    found: ({ ann, firm, other }) => ({
      [`ids][]=${firm}&filter[ids][]=${other}`]: [firm, other],
      "externalIds][]=other": [other],
      "nickName][]=firm&filter[nickName][]=nobody": [firm],
      "name]=other": [other],
      "contactName]=ann ray": [firm],
      [`contactIds][]=${ann}`]: [firm],
      "email]=@a.example": [firm],
      "addressName]=quay": [firm],
      "city]=valletta": [firm],
      "region]=malta": [firm],
      "companyName]=sail": [firm],
      "contragentName]=limited": [firm],
      "contragentTypes][]=legal-entity": [firm],
      "contragentTypes][]=individual": [],
      "contragentInn]=1": [firm],
      "contragentKpp]=2": [firm],
      "contragentBik]=3": [firm],
      "contragentCorrAccount]=4": [firm],
      "contragentBankAccount]=5": [firm],
      "notes]=late": [firm],
      "vip]=1": [firm],
      "bad]=true": [other],
      "sites][]=shop": [firm, other],
      "managers][]=1": [firm],
      "managerGroups][]=x": [],
      "discountCardNumber]=card-1": [firm],
      "classSegment]=x": [],
      "customFields][size]=42": [firm],
      "customFields][size][min]=43": [],
      "tasksCounts]=1": [other],
      "tasksCounts]=2": [firm],
      "tasksCounts]=3": [firm],
      "attachments]=3": [firm, other],
      "dateFrom]=2026-05-02": [other],
      "dateTo]=2026-05-01": [firm],
      "minOrdersCount]=1": [],
      "maxOrdersCount]=1": [firm, other],
      "minAverageSumm]=1": [],
      "maxAverageSumm]=1": [firm, other],
      "minTotalSumm]=1": [],
      "maxTotalSumm]=1": [firm, other],
      "minCostSumm]=1": [],
      "maxCostSumm]=1": [firm, other],
      "firstOrderFrom]=2026-01-01": [],
      "firstOrderTo]=2026-01-01": [],
      "lastOrderFrom]=2026-01-01": [],
      "lastOrderTo]=2026-01-01": [],
    }),
  });
});

describeList({
  path: `${ROOT}/{externalId}/addresses`,
  at: () => `${ROOT}/firm/addresses`,
  many: "addresses",
  prepare: several,
  found: ({ idOf }) => ({
    [`ids][]=${idOf("addresses")}`]: [idOf("addresses")],
    "ids][]=7": [],
    "name]=quay": [idOf("addresses")],
    "name]=x": [],
    "city]=vall": [idOf("addresses")],
    "city]=x": [],
    "region]=malta": [idOf("addresses")],
    "region]=x": [],
  }),
});

describeList({
  path: `${ROOT}/{externalId}/companies`,
  at: () => `${ROOT}/firm/companies`,
  many: "companies",
  prepare: several,
  found: ({ idOf }) => ({
    [`ids][]=${idOf("companies")}`]: [idOf("companies")],
    "ids][]=7": [],
    "externalIds][]=sail": [idOf("companies")],
    "externalIds][]=x": [],
  }),
});

describeList({
  path: `${ROOT}/{externalId}/contacts`,
  at: () => `${ROOT}/firm/contacts`,
  many: "contacts",
  prepare: several,
  found: ({ ann, idOf }) => ({
    [`ids][]=${idOf("customerContacts")}`]: [idOf("customerContacts")],
    [`ids][]=${ann}`]: [],
    [`contactIds][]=${ann}`]: [idOf("customerContacts")],
    "contactIds][]=7": [],
    "contactExternalIds][]=ann": [idOf("customerContacts")],
    "contactExternalIds][]=bob": [],
    "externalIds][]=ann": [idOf("customerContacts")],
    "externalIds][]=bob": [],
  }),
});

describe("a corporate customer", () => {
  it('is kept as given: "/api/v5/customers-corporate/create … Create." / "/api/v5/customers-corporate/{externalId} … Information." / "/api/v5/customers-corporate/{externalId}/edit … Edit."', async () => {
    const { create, edit, read, crm, faults } = firms(account());
    const id = await create({ ...FIRM, id: 7, totalSumm: 9, tags: [{ name: "x" }], unheard: 1 });
    const known = {
      ...NO_ORDERS,
      ...{ customFields: [], personalDiscount: 0, cumulativeDiscount: 0 },
      type: "customer_corporate",
      id,
      ...FIRM,
      createdAt: "2026-05-01 10:00:00",
      site: "shop",
      vip: false,
      bad: false,
      tags: [],
    };
    expect(await read(id)).toEqual(known);
    expect((await edit(id, { vip: true, managerId: 1 })).body).toEqual({ success: true, id });
    const edited = { ...known, vip: true, managerId: 1 };
    for (const path of [`${ROOT}/firm`, `${ROOT}/firm?site=shop`])
      expect((await crm("GET", path)).body.customerCorporate).toEqual(edited);
    for (const path of [`${ROOT}/${id}`, `${ROOT}/firm?by=id`, `${ROOT}/firm?site=other`, "/api/v5/customers/firm"])
      expect([path, (await crm("GET", path)).status]).toEqual([path, 404]);
    expect(faults()).toEqual([]);
  });

  it.each([
    [{}, "Parameter 'externalId' in 'customerCorporate' is missing", undefined],
    [{ externalId: "firm" }, "Errors in the entity format", { externalId: "This value is already used." }],
    [{ nickName: "F", managerId: 9 }, "Errors in the entity format", { managerId: "This value is not valid." }],
    [
      { nickName: "F", customFields: { size: 4 } },
      "Errors in the entity format",
      { "customFields.size": "This value is not valid." },
    ],
    [
      { nickName: "F", customerContacts: [{ customer: { id: 7 } }] },
      "Errors in the entity format",
      { customer: "This value is not valid." },
    ],
    [
      { nickName: "F", addresses: [{ externalId: "a" }], companies: [{ name: "C", customFields: { size: 4 } }] },
      "Errors in the entity format",
      { "customFields.size": "This value is not valid." },
    ],
  ])("with %o is refused", async (customerCorporate, errorMsg, errors) => {
    const { create, submit, world } = firms(account());
    await create(FIRM);
    const { status, body } = await submit(`${ROOT}/create`, { customerCorporate });
    expect([status, body.errorMsg, body.errors]).toEqual([400, errorMsg, errors]);
    expect(world.tables.corporate.rows.size).toBe(1);
  });

  it("is created with its addresses, companies and contacts; an edit adds to them or changes those it names", async () => {
    const { firm, ann, person, edit, list, faults } = await several();
    await person({ externalId: "bob" });
    const { body } = await edit(firm, {
      addresses: [{ externalId: "quay", building: "7" }, { text: "Harbour" }],
      companies: [{ externalId: "sail", brand: "Sails" }],
      customerContacts: [{ customer: { id: ann }, isMain: true }, { customer: { externalId: "bob" } }],
    });
    expect(body).toEqual({ success: true, id: firm });
    expect(await list(`${firm}/addresses`)).toMatchObject([
      { externalId: "quay", city: "Valletta", building: "7", isMain: true },
      { text: "Harbour", isMain: false },
    ]);
    expect(await list(`${firm}/companies`)).toMatchObject([{ name: "Sail works", brand: "Sails", isMain: true }]);
    expect(await list(`${firm}/contacts`)).toMatchObject([
      { customer: { id: ann }, isMain: true, companies: [{ company: { name: "Sail works" } }] },
      { customer: { externalId: "bob" }, isMain: false, companies: [] },
    ]);
    expect(faults()).toEqual([]);
  });

  it("shows its main address, company and contact", async () => {
    const { firm, ann, write, read, idOf, faults } = await several();
    const address = { id: idOf("addresses"), externalId: "quay", name: "Quay office" };
    const company = { id: idOf("companies"), externalId: "sail", name: "Sail works" };
    expect(await read(firm)).toMatchObject({ mainAddress: address, mainCompany: company });
    expect(await read(firm)).not.toHaveProperty("mainCustomerContact");
    await write(`${firm}/contacts/${ann}/edit`, { entityBy: "id", contact: { isMain: true } });
    expect((await read(firm)).mainCustomerContact).toEqual({
      id: idOf("customerContacts"),
      customer: { id: ann, externalId: "ann" },
      companies: [{ id: expect.any(Number), company }],
    });
    expect(faults()).toEqual([]);
  });
});

describe("corporate customers", () => {
  it('are loaded fifty at a time: "/api/v5/customers-corporate/upload … Bulk upload."', async () => {
    const { submit, crm, faults } = firms(account());
    const given = [FIRM, { externalId: "b", managerId: 9 }, { externalId: "c", companies: [{ name: "C" }] }];
    const { status, body } = await submit(`${ROOT}/upload`, { customersCorporate: given });
    expect([status, body]).toEqual([
      460,
      {
        success: false,
        errorMsg: "Customers are loaded with errors",
        errors: { managerId: "This value is not valid." },
        uploadedCustomers: ["firm", "c"].map((externalId) => ({ id: expect.any(Number), externalId })),
        failedCustomers: [{ externalId: "b" }],
      },
    ]);
    expect((await crm("GET", ROOT)).body.customersCorporate).toMatchObject([
      { ...FIRM, id: (body.uploadedCustomers as Json[])[0]?.id },
      { externalId: "c" },
    ]);
    expect(faults()).toEqual([]);
    const many = Array.from({ length: 51 }, (_, n) => ({ externalId: `many-${n}` }));
    expect((await submit(`${ROOT}/upload`, { customersCorporate: many })).status).toBe(400);
  });

  it('take their externalIds by id: "/api/v5/customers-corporate/fix-external-ids … Add external identifiers in bulk."', async () => {
    const { create, submit, read, faults } = firms(account());
    const id = await create({ nickName: "Firm" });
    const fix = (row: object) => submit(`${ROOT}/fix-external-ids`, { customersCorporate: [row] });
    expect((await fix({ id, externalId: "fixed" })).body).toEqual({ success: true });
    expect(await read(id)).toMatchObject({ externalId: "fixed" });
    expect(faults()).toEqual([]);
    for (const row of [{ id: "one", externalId: "x" }, { externalId: "x" }])
      expect(await fix(row)).toMatchObject({
        status: 400,
        body: { errorMsg: "Errors in the input parameters", errors: { id: "ID must be an integer" } },
      });
    expect((await fix({ id: 7, externalId: "x" })).status).toBe(404);
  });

  it("take externalIds that no other has: all of a call's, or none", async () => {
    const { create, submit, read } = firms(account());
    const [one, other, third] = [
      await create({ externalId: "one" }),
      await create({ externalId: "other" }),
      await create({ externalId: "third" }),
    ];
    const fix = (rows: [unknown, string][]) => {
      const customersCorporate = rows.map(([id, externalId]) => ({ id, externalId }));
      return submit(`${ROOT}/fix-external-ids`, { customersCorporate });
    };
    const refused = {
      status: 400,
      body: { errorMsg: "Errors in the entity format", errors: { "[1].externalId": "This value is already used." } },
    };
    expect(
      await fix([
        [one, "new"],
        [other, "third"],
      ]),
    ).toMatchObject(refused);
    expect(
      await fix([
        [one, "new"],
        [other, "new"],
      ]),
    ).toMatchObject(refused);
    expect([await read(one), await read(other)]).toMatchObject([{ externalId: "one" }, { externalId: "other" }]);
    expect(
      (
        await fix([
          [one, "other"],
          [other, "one"],
          [third, "third"],
        ])
      ).body,
    ).toEqual({ success: true });
    expect([await read(one), await read(other)]).toMatchObject([{ externalId: "other" }, { externalId: "one" }]);
  });

  it("keep the sums of the orders that are billed to each company, also when they become one", async () => {
    const { create, list, submit, crm, edit, faults, switches } = firms(account());
    await switches({ corporateOn: true });
    const firm = await create({ ...FIRM, companies: [{ externalId: "east", name: "East" }, { name: "West" }] });
    const bill = async (company: object, initialPrice: number) => {
      const customer = { type: "customer_corporate", id: firm };
      const items = [{ productName: "Rope", initialPrice, quantity: 1, purchasePrice: 4 }];
      return (await submit("/api/v5/orders/create", { order: { customer, company, items } })).body.id;
    };
    const sums = async (id = firm) =>
      (await list(`${id}/companies`)).map(({ name, ordersCount, totalSumm }) => [name, ordersCount, totalSumm]);
    expect(await sums()).toEqual([
      ["East", 0, 0],
      ["West", 0, 0],
    ]);
    const order = await bill({ externalId: "east" }, 10);
    await bill({ externalId: "east" }, 20);
    expect(await list(`${firm}/companies`)).toMatchObject([
      { ordersCount: 2, totalSumm: 30, averageSumm: 15, costSumm: 8, marginSumm: 22, avgMarginSumm: 11 },
      { name: "West" },
    ]);
    const [, west] = await list(`${firm}/companies`);
    await submit(`/api/v5/orders/${order}/edit`, { by: "id", order: { company: { id: west?.id } } });
    expect(await sums()).toEqual([
      ["East", 1, 20],
      ["West", 1, 10],
    ]);
    await edit(firm, { companies: [{ externalId: "east", brand: "Ropes" }] });
    expect((await crm("GET", `/api/v5/orders/${order}?by=id`)).body.order).toMatchObject({
      company: { name: "West", ordersCount: 1, totalSumm: 10 },
    });
    const other = await create({
      externalId: "other",
      nickName: "Other",
      companies: [{ externalId: "east", name: "E" }],
    });
    await submit(`${ROOT}/combine`, { resultCustomer: { id: other }, customers: [{ id: firm }] });
    expect(await sums(other)).toEqual([
      ["E", 1, 20],
      ["West", 1, 10],
    ]);
    expect(faults()).toEqual([]);
  });

  it('become one with the parts of both: "/api/v5/customers-corporate/combine … Combine corporate customers."', async () => {
    const { firm, other, ann, add, submit, crm, list, read, history, world, faults } = await several();
    await add(`${other}/addresses`, "address", { name: "Own" });
    await add(`${other}/contacts`, "contact", { customer: { id: ann } });
    const combine = (id: number, others: number[]) =>
      submit(`${ROOT}/combine`, { resultCustomer: { id }, customers: others.map((each) => ({ id: each })) });
    expect((await combine(other, [firm])).body).toEqual({ success: true });
    expect(await read(other)).toMatchObject({ nickName: "Other", mainAddress: { name: "Own" } });
    expect(await list(`${other}/addresses`)).toMatchObject([{ name: "Own" }, { name: "Quay office", isMain: false }]);
    expect(await list(`${other}/companies`)).toMatchObject([{ name: "Sail works", isMain: true }]);
    expect(await list(`${other}/contacts`)).toMatchObject([{ customer: { id: ann } }]);
    expect(await crm("GET", `${ROOT}/firm`)).toMatchObject({ status: 404, body: { combinedTo: { id: other } } });
    expect((await crm("GET", `${ROOT}/notes`)).body.notes).toMatchObject([{ customer: { id: other } }]);
    expect([...world.tables.tasks.rows.values()]).toMatchObject([{ customer: { id: other } }]);
    expect((await history(`filter[customerId]=${other}`)).map(({ source, field }) => `${source} ${field}`)).toEqual([
      "api id",
      "api address",
      "api contact",
      "combine address",
      "combine company",
      "combine main_company",
    ]);
    expect((await history(`filter[customerId]=${firm}`)).at(-1)).toMatchObject({
      source: "combine",
      deleted: true,
      combinedTo: { id: other },
    });
    expect(faults()).toEqual([]);
    expect((await combine(other, [other])).body.errorMsg).toBe("Invalid input parameters");
  });
});

describe("parts of a corporate customer", () => {
  it('are addresses: "/api/v5/customers-corporate/{externalId}/addresses … List of addresses." / "/api/v5/customers-corporate/{externalId}/addresses/create … Create an address." / "/api/v5/customers-corporate/{externalId}/addresses/{entityExternalId}/edit … Edit an address."', async () => {
    const { create, add, write, list, read, faults } = firms(account());
    const firm = await create(FIRM);
    const first = await add(`${firm}/addresses`, "address", { externalId: "a", city: "Valletta", id: 7 });
    const second = await add(`${firm}/addresses`, "address", { name: "Quay", isMain: true });
    expect(await list(`${firm}/addresses`)).toEqual([
      { id: first, externalId: "a", city: "Valletta", isMain: false },
      { id: second, name: "Quay", isMain: true },
    ]);
    const edited = await write("firm/addresses/a/edit", { by: "externalId", address: { isMain: true, flat: "4" } });
    expect(edited).toMatchObject({ status: 200, body: { success: true, id: first } });
    await write(`${firm}/addresses/${second}/edit`, { entityBy: "id", address: { name: "Pier" } });
    expect(await list(`${firm}/addresses`)).toEqual([
      { id: first, externalId: "a", city: "Valletta", flat: "4", isMain: true },
      { id: second, name: "Pier", isMain: false },
    ]);
    expect((await read(firm)).mainAddress).toEqual({ id: first, externalId: "a" });
    expect(faults()).toEqual([]);
    expect((await write(`${firm}/addresses/create`, { address: { externalId: "a" } })).body.errors).toEqual({
      externalId: "This value is already used.",
    });
  });

  it('are companies: "/api/v5/customers-corporate/{externalId}/companies … List of companies." / "/api/v5/customers-corporate/{externalId}/companies/create … Create a company." / "/api/v5/customers-corporate/{externalId}/companies/{entityExternalId}/edit … Edit a company."', async () => {
    const { create, add, write, list, faults } = firms(account());
    const firm = await create(FIRM);
    const address = await add(`${firm}/addresses`, "address", { name: "Quay" });
    const first = await add(`${firm}/companies`, "company", { externalId: "c", name: "C", address: { id: address } });
    const common = {
      ...NO_ORDERS,
      customFields: [],
      id: first,
      externalId: "c",
      name: "C",
      active: true,
      isMain: false,
      createdAt: "2026-05-01 10:00:00",
      customer: { id: firm, externalId: "firm", type: "customer_corporate", site: "shop" },
    };
    expect(await list(`${firm}/companies`)).toEqual([
      { ...common, contragent: { contragentType: "legal-entity" }, address: { id: address, name: "Quay" } },
    ]);
    const contragent = { contragentType: "enterpreneur", INN: "7" };
    const company = { isMain: true, contragent, address: { city: "Mdina" } };
    await write(`${firm}/companies/c/edit`, { company });
    const addresses = await list(`${firm}/addresses`);
    expect(addresses).toMatchObject([{ id: address }, { city: "Mdina", isMain: false }]);
    expect(await list(`${firm}/companies`)).toEqual([
      { ...common, contragent, isMain: true, address: { id: addresses[1]?.id } },
    ]);
    expect(faults()).toEqual([]);
    const lost = await write(`${firm}/companies/c/edit`, { company: { address: { id: 7 } } });
    expect(lost.body.errors).toEqual({ address: "This value is not valid." });
  });

  it('are contacts: "/api/v5/customers-corporate/{externalId}/contacts … List of contact persons." / "/api/v5/customers-corporate/{externalId}/contacts/create … Create a link between the corporate customer and a contact person." / "/api/v5/customers-corporate/{externalId}/contacts/{entityExternalId}/edit … Edit that link."', async () => {
    const { create, person, add, write, list, crm, faults } = firms(account());
    const firm = await create(FIRM);
    const ann = await person({ externalId: "ann", browserId: "b1" });
    const company = await add(`${firm}/companies`, "company", { name: "C" });
    const link = await add(`${firm}/contacts`, "contact", {
      customer: { browserId: "b1" },
      companies: [{ id: company }],
    });
    expect(await list(`${firm}/contacts`)).toEqual([
      {
        id: link,
        isMain: false,
        customer: { id: ann, externalId: "ann", site: "shop" },
        companies: [{ id: expect.any(Number), company: { id: company, name: "C" } }],
      },
    ]);
    expect((await crm("GET", "/api/v5/customers/ann")).body.customer).toMatchObject({ isContact: true });
    // A contact is named by its customer.
    const customer = { browserId: "b2", site: "shop" };
    for (const [key, entityBy] of [
      ["ann", "externalId"],
      [String(ann), "id"],
    ] as const)
      expect(await write(`${firm}/contacts/${key}/edit`, { entityBy, contact: { customer } })).toMatchObject({
        status: 200,
        body: { id: link },
      });
    await write(`${firm}/contacts/ann/edit`, { contact: { isMain: true, companies: [] } });
    expect(await list(`${firm}/contacts`)).toMatchObject([{ customer: { id: ann }, isMain: true, companies: [] }]);
    expect(faults()).toEqual([]);
  });

  it("are refused where they name what is not there, and are looked for in their customer alone", async () => {
    const { create, person, add, write, crm } = firms(account());
    const firm = await create(FIRM);
    const other = await create({ externalId: "other" });
    const ann = await person({ externalId: "ann" });
    const address = await add(`${firm}/addresses`, "address", { externalId: "a" });
    await add(`${firm}/contacts`, "contact", { customer: { id: ann } });
    const refused: [contact: object, errors: object][] = [
      [{ isMain: true }, { customer: "Set one of the following fields: id, externalId" }],
      [{ customer: { externalId: "bob" } }, { customer: "This value is not valid." }],
      [{ customer: { id: ann, site: "elsewhere" } }, { customer: "This value is not valid." }],
      [{ customer: { id: ann } }, { customer: "This value is already used." }],
    ];
    for (const [contact, errors] of refused)
      expect(await write(`${firm}/contacts/create`, { contact })).toMatchObject({ status: 400, body: { errors } });
    const companies = [{ company: { id: 7 } }];
    expect(await write(`${firm}/contacts/ann/edit`, { contact: { companies } })).toMatchObject({
      status: 400,
      body: { errors: { companies: "This value is not valid." } },
    });
    for (const path of [`${other}/addresses/a/edit`, `${firm}/addresses/${address}/edit`, "7/addresses/a/edit"])
      expect([path, (await write(path, { address: { city: "x" } })).status]).toEqual([path, 404]);
    expect((await crm("GET", `${ROOT}/nobody/contacts`)).status).toBe(404);
  });

  it("follow a contact that is combined into another customer", async () => {
    const { firm, ann, person, submit, list, crm } = await several();
    const bob = await person({ externalId: "bob" });
    await submit("/api/v5/customers/combine", { resultCustomer: { id: bob }, customers: [{ id: ann }] });
    expect(await list(`${firm}/contacts`)).toMatchObject([
      { customer: { id: bob, externalId: "bob" }, companies: [{ company: { name: "Sail works" } }] },
    ]);
    expect((await crm("GET", "/api/v5/customers/bob")).body.customer).toMatchObject({ isContact: true });
  });
});

describe("the history of corporate customers", () => {
  it('tells each change of a customer and of its parts: "/api/v5/customers-corporate/history … History of changes."', async () => {
    const { create, person, edit, add, write, history, crm, faults } = firms(account());
    const ann = await person({ externalId: "ann" });
    const firm = await create({ ...FIRM, addresses: [{ name: "Quay" }] });
    await edit(firm, { nickName: "Firm & Co" });
    const contact = await add(`${firm}/contacts`, "contact", { customer: { id: ann }, isMain: true });
    const company = await add(`${firm}/companies`, "company", { name: "C", contragent: { INN: "1" } });
    await write(`${firm}/contacts/ann/edit`, { contact: { companies: [{ company: { id: company } }] } });
    const contragent = { INN: "2" };
    await write(`${firm}/companies/${company}/edit`, { entityBy: "id", company: { isMain: true, contragent } });
    const common = {
      id: expect.any(Number),
      createdAt: "2026-05-01 10:00:00",
      source: "api",
      apiKey: { current: true },
      oldValue: null,
      customer: { id: firm, externalId: "firm", site: "shop" },
    };
    const named = { id: company, name: "C" };
    const told = await history();
    expect(told).toEqual([
      {
        ...common,
        created: true,
        field: "id",
        newValue: firm,
        // As it was created.
        customer: expect.objectContaining({
          nickName: "Firm Ltd",
          addresses: [{ id: expect.any(Number), name: "Quay" }],
          customerContacts: [],
          companies: [],
        }),
      },
      { ...common, field: "nick_name", oldValue: "Firm Ltd", newValue: "Firm & Co" },
      {
        ...common,
        field: "contact",
        newValue: { id: contact },
        customerContact: { id: contact, customer: { id: ann } },
      },
      { ...common, field: "main_contact", newValue: { id: contact } },
      {
        ...common,
        field: "company",
        newValue: named,
        company: {
          ...named,
          active: true,
          createdAt: "2026-05-01 10:00:00",
          contragent: { contragentType: "legal-entity", INN: "1" },
        },
      },
      {
        ...common,
        field: "contact.contact_company",
        newValue: { id: expect.any(Number), customer_contact: { id: contact } },
        company: named,
        customerContact: { id: contact },
      },
      { ...common, field: "company.contragent.inn", oldValue: "1", newValue: "2", company: named },
      { ...common, field: "main_company", newValue: named },
    ]);
    const cases: [string, number][] = [
      [`filter[sinceId]=${told[1]?.id}`, 6],
      [`filter[customerId]=${firm}`, 8],
      ["filter[customerExternalId]=other", 0],
      [`filter[contactIds][]=${ann}`, 3],
      ["filter[contactIds][]=7", 0],
      ["filter[startDate]=2026-05-01 10:00:01", 0],
      ["filter[endDate]=2026-05-01 10:00:00", 8],
    ];
    for (const [query, count] of cases) expect([query, (await history(query)).length]).toEqual([query, count]);
    expect((await crm("GET", "/api/v5/customers/history")).body.history).toMatchObject([
      { field: "id" },
      { field: "is_contact", newValue: true },
      { field: "segments", source: "code", oldValue: null, newValue: { code: "contacts" } },
    ]);
    expect(faults()).toEqual([]);
  });
});

describe("switching corporate customers on", () => {
  /** Customers of all kinds: the first three are contractors. */
  async function customers(settings: object = {}) {
    const own = firms(account(settings));
    const { person, submit } = own;
    const address = { city: "Valletta" };
    const firm = await person({
      externalId: "firm",
      firstName: "Ann",
      email: "a@a.example",
      address,
      contragent: CONTRAGENT,
    });
    const typed = await person({
      externalId: "typed",
      firstName: "Bob",
      contragent: { contragentType: "enterpreneur" },
    });
    const filled = await person({ externalId: "filled", contragent: { contragentType: "individual", INN: "7" } });
    await person({ externalId: "private", contragent: { contragentType: "individual", INN: "" } });
    await person({ externalId: "plain" });
    await submit("/api/v5/customers/notes/create", { note: { text: "Pays late", customer: { id: firm } } });
    await submit("/api/v5/tasks/create", { task: { text: "Call", performerId: 1, customer: { id: firm } } });
    const idsOf = async (path: string, many: string) =>
      ((await own.crm("GET", `/api/v5/${path}`)).body[many] as Json[]).map(
        ({ id, externalId }) => `${id} ${externalId}`,
      );
    const corporate = () => idsOf("customers-corporate", "customersCorporate");
    const names = async () => (await idsOf("customers", "customers")).map((each) => each.split(" ")[1]);
    return { ...own, firm, typed, filled, corporate, names };
  }

  it('"corporate functionality off … activation of corporate customers … customers with filled contractor data exist … those customers become corporate customers … They leave /api/v5/customers/*." / "corporate functionality off … id and externalId are kept."', async () => {
    const { firm, typed, filled, corporate, names, crm, switches, faults } = await customers();
    expect([await corporate(), await names()]).toEqual([[], ["firm", "typed", "filled", "private", "plain"]]);
    await switches({ corporateOn: true });
    expect([await corporate(), await names()]).toEqual([
      [`${firm} firm`, `${typed} typed`, `${filled} filled`],
      ["private", "plain"],
    ]);
    for (const [method, path, form] of [
      ["GET", "firm", undefined],
      ["GET", `${firm}?by=id`, undefined],
      ["POST", "firm", {}],
      ["POST", "firm/edit", { customer: "{}" }],
    ] as const)
      expect([path, (await crm(method, `/api/v5/customers/${path}`, form)).status]).toEqual([path, 404]);
    for (const path of ["firm", `${firm}?by=id`])
      expect((await crm("GET", `${ROOT}/${path}`)).body.customerCorporate).toMatchObject({
        id: firm,
        externalId: "firm",
      });
    expect(faults()).toEqual([]);
  });

  it('"corporate functionality off … Their earlier history stays readable through /api/v5/customers/history. One history entry is added with field type, oldValue customer, newValue customer_corporate."', async () => {
    const { firm, crm, switches, history, faults } = await customers();
    await switches({ corporateOn: true });
    const told = (await crm("GET", `/api/v5/customers/history?filter[customerId]=${firm}`)).body.history;
    expect(told).toMatchObject([
      { field: "id", created: true, customer: { firstName: "Ann", email: "a@a.example" } },
      { field: "type", oldValue: "customer", newValue: "customer_corporate", customer: { id: firm } },
    ]);
    expect(told).toHaveLength(2);
    expect(await history()).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it("makes a company of contractor data and an address of the address; notes and tasks come along", async () => {
    const { firm, typed, list, read, crm, world, switches, faults } = await customers();
    await switches({ corporateOn: true });
    expect(await read(firm)).toMatchObject({
      type: "customer_corporate",
      nickName: "Firm Limited",
      mainCompany: { name: "Firm Limited" },
    });
    for (const field of ["firstName", "email", "contragent", "address"])
      expect(await read(firm)).not.toHaveProperty(field);
    expect(await read(typed)).toMatchObject({ nickName: "Bob" });
    expect(await list(`${firm}/companies`)).toMatchObject([{ isMain: true, contragent: CONTRAGENT }]);
    expect(await list(`${firm}/addresses`)).toMatchObject([{ isMain: true, city: "Valletta" }]);
    expect((await crm("GET", `${ROOT}/notes`)).body.notes).toMatchObject([
      { text: "Pays late", customer: { id: firm } },
    ]);
    expect((await crm("GET", "/api/v5/customers/notes")).body.notes).toEqual([]);
    expect([...world.tables.tasks.rows.values()]).toMatchObject([
      { customer: { type: "customer_corporate", id: firm } },
    ]);
    expect(faults()).toEqual([]);
  });

  it("cannot be undone", async () => {
    const { corporate, json, switches } = await customers();
    await switches({ corporateOn: true });
    expect((await switches({ corporateOn: false })).body).toMatchObject({ corporateOn: true });
    await json("POST", "/sandbox/switches", { corporateOn: true });
    expect(await corporate()).toHaveLength(3);
  });

  it("waits for midnight when the unknown says so", async () => {
    const { corporate, switches, jump } = await customers({ corporateSwitch: "midnight" });
    expect((await switches({ corporateOn: true })).body).toMatchObject({ corporateOn: false });
    await jump(14 * 3_600_000 - 1);
    expect(await corporate()).toEqual([]);
    await jump(1);
    expect(await corporate()).toHaveLength(3);
    expect((await switches({})).body).toMatchObject({ corporateOn: true });
  });
});
