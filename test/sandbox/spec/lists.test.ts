import { describe, expect, it } from "vitest";
import { FILTERS, type ListName } from "../../../sandbox/src/crm/filters.ts";
import { chatting } from "./account.ts";
import { documented, PATHS, queryOf } from "./crm-samples.ts";

const NAMES = Object.keys(PATHS) as ListName[];
const DAY_MS = 24 * 3_600_000;

/**
 * Two agents, customers with different dates and kinds (Kim came through a channel), their history, and the shop's
 * goods.
 */
async function shop() {
  const own = await chatting();
  const { json, crm, wait, world } = own;
  await json("POST", "/sandbox/agents", { first_name: "Sam" });
  await crm("POST", "/api/v5/users/2/status", { status: "busy" });
  const [alex, sam] = [...world.users.values()];
  await json("PATCH", `/sandbox/agents/${sam?.id}`, { active: false });
  if (sam) sam.online = false;
  const create = async (customer: object) =>
    (await crm("POST", "/api/v5/customers/create", { customer: JSON.stringify(customer) })).body.id;
  const ann = await create({ externalId: "ann", firstName: "Ann", email: "ann@a.example", sex: "female" });
  wait(2 * DAY_MS);
  const bob = await create({
    externalId: "bob",
    firstName: "Bob",
    lastName: "Annson",
    sex: "male",
    contragent: { INN: "" },
  });
  const firm = await create({
    externalId: "firm",
    firstName: "Firm",
    contragent: {
      contragentType: "legal-entity",
      legalName: "Firm Ltd",
      INN: "1",
      KPP: "2",
      BIK: "3",
      corrAccount: "4",
      bankAccount: "5",
    },
  });
  const jo = [...world.customers.keys()][0] ?? 0;
  const list = async (name: ListName, query: string) => {
    const { status, body } = await crm("GET", `${PATHS[name]}${query}`);
    const ids = ((body as Record<string, unknown>)[name] as { id: number }[] | undefined)?.map(({ id }) => id);
    return { status, ids, body: body as unknown as { errorMsg?: string; errors?: object; pagination?: object } };
  };
  return { ...own, list, alex, sam, ann, bob, firm, jo };
}
type Shop = Awaited<ReturnType<typeof shop>>;

/** Expected ids per filter, as `name=value` of the query. */
const SUPPORTED: Record<ListName, (shop: Shop) => Record<string, Record<string, number[]>>> = {
  users: () => ({
    status: { "status=busy": [2], "status=free": [1] },
    online: { "online=0": [2], "online=true": [1] },
    active: { "active=1": [1], "active=false": [2] },
    isManager: { "isManager=1": [1, 2], "isManager=0": [] },
    createdAtFrom: { "createdAtFrom=2026-05-01 10:00:00": [1, 2], "createdAtFrom=2026-05-01 10:00:01": [] },
    createdAtTo: { "createdAtTo=2026-05-01 10:00:00": [1, 2], "createdAtTo=2026-05-01 09:59:59": [] },
  }),
  customers: ({ ann, bob, firm, jo, channel }) => ({
    ids: { [`ids][]=${ann}&filter[ids][]=${firm}`]: [ann, firm], [`ids][0]=${bob}`]: [bob], "ids][]=1": [] },
    externalIds: { "externalIds][]=bob": [bob] },
    name: { "name=ann": [ann, bob], "name=nobody": [] },
    email: { "email=@a.example": [ann] },
    sex: { "sex=male": [bob], "sex=female_with_presumable": [ann] },
    mgChannels: { [`mgChannels][]=${channel}`]: [jo], "mgChannels][]=7": [] },
    mgCustomerId: { [`mgCustomerId=${jo}`]: [jo], [`mgCustomerId=${ann}`]: [] },
    isContact: { "isContact=1": [], "isContact=0": [jo, ann, bob, firm] },
    dateFrom: { "dateFrom=2026-05-01": [jo, ann, bob, firm], "dateFrom=2026-05-02": [bob, firm] },
    dateTo: { "dateTo=2026-05-01": [jo, ann], "dateTo=2026-05-03": [jo, ann, bob, firm] },
    contragentName: { "contragentName=firm": [firm] },
    contragentTypes: { "contragentTypes][]=legal-entity": [firm], "contragentTypes][]=individual": [] },
    contragentInn: { "contragentInn=1": [firm], "contragentInn=2": [] },
    contragentKpp: { "contragentKpp=2": [firm] },
    contragentBik: { "contragentBik=3": [firm] },
    contragentCorrAccount: { "contragentCorrAccount=4": [firm] },
    contragentBankAccount: { "contragentBankAccount=5": [firm] },
  }),
  customersCorporate: ({ firm }) => ({
    ids: { [`ids][]=${firm}`]: [firm], "ids][]=7": [] },
    externalIds: { "externalIds][]=firm": [firm], "externalIds][]=ann": [] },
    nickName: { "nickName][]=Firm": [firm], "nickName][]=Other": [] },
    dateFrom: { "dateFrom=2026-05-03": [firm], "dateFrom=2026-05-04": [] },
    dateTo: { "dateTo=2026-05-03": [firm], "dateTo=2026-05-02": [] },
    contragentName: { "contragentName=Ltd": [firm], "contragentName=Inc": [] },
    contragentTypes: { "contragentTypes][]=legal-entity": [firm], "contragentTypes][]=individual": [] },
    contragentInn: { "contragentInn=1": [firm], "contragentInn=2": [] },
    contragentKpp: { "contragentKpp=2": [firm] },
    contragentBik: { "contragentBik=3": [firm] },
    contragentCorrAccount: { "contragentCorrAccount=4": [firm] },
    contragentBankAccount: { "contragentBankAccount=5": [firm] },
  }),
  history: ({ ann, world }) => {
    const [first = 0, second = 0, third = 0] = world.customerChanges.map(({ id }) => id);
    return {
      customerId: { [`customerId=${ann}`]: [first], "customerId=7": [] },
      customerExternalId: { "customerExternalId=bob": [second] },
      sinceId: { [`sinceId=${first}`]: [second, third], [`sinceId=${third}`]: [] },
      startDate: { "startDate=2026-05-01 10:00:01": [second, third] },
      endDate: { "endDate=2026-05-01 10:00:00": [first] },
    };
  },
  products: () => ({
    ids: { "ids][]=101&filter[ids][]=103": [101, 103] },
    offerIds: { "offerIds][]=102": [102] },
    groups: { "groups][]=1": [101, 102, 103, 104], "groups][]=2": [] },
    sinceId: { "sinceId=102": [103, 104] },
    name: { "name=ROPE": [101] },
    url: { "url=http://sandbox/shop/bag": [102], "url=/shop/bag": [] },
    urlLike: { "urlLike=/shop/c": [103, 104] },
    minPrice: { "minPrice=31": [102, 104] },
    maxPrice: { "maxPrice=23": [101, 103] },
    active: { "active=1": [101, 102, 103, 104], "active=0": [] },
  }),
  orders: () => ({
    ids: { "ids][]=5002": [5002] },
    numbers: { "numbers][]=5001A": [5001] },
    extendedStatus: { "extendedStatus][]=new": [5002], "extendedStatus][]=assembling-group": [5001] },
    minPrice: { "minPrice=90": [5001] },
    maxPrice: { "maxPrice=90": [5002] },
    createdAtFrom: { "createdAtFrom=2026-02-01": [5002] },
    createdAtTo: { "createdAtTo=2026-01-15": [5001], "createdAtTo=2026-01-14": [] },
    fullPaidAtFrom: { "fullPaidAtFrom=2026-01-01": [5001] },
    fullPaidAtTo: { "fullPaidAtTo=2026-03-01": [5001] },
    paymentTypes: { "paymentTypes][]=bank-card": [5001, 5002], "paymentTypes][]=cash": [] },
    paymentStatuses: { "paymentStatuses][]=paid": [5001], "paymentStatuses][]=not-paid": [5002] },
    product: { "product=bag": [5002] },
  }),
};

const written = (filter: string) => `filter[${filter.includes("]") ? filter : filter.replace("=", "]=")}`;
/** Corporate customers need the account's switch. */
async function shopFor(name: ListName): Promise<Shop> {
  const own = await shop();
  if (name === "customersCorporate") await own.switches({ corporateOn: true });
  return own;
}

describe.each(NAMES)("the list of %s", (name) => {
  it("supports or refuses each documented filter, and ignores none", async () => {
    const own = await shopFor(name);
    const supported: string[] = [];
    for (const { filter, parameter, schema } of documented(name)) {
      const { status, body } = await own.list(name, queryOf(parameter, schema));
      if (status === 200) supported.push(filter);
      else
        expect([filter, status, body]).toEqual([
          filter,
          400,
          {
            success: false,
            errorMsg: "Errors in the input parameters",
            errors: { [`children[${filter}]`]: "This value is not valid." },
          },
        ]);
    }
    expect(supported.sort()).toEqual(Object.keys(SUPPORTED[name](own)).sort());
  });

  it("keeps what passes each supported filter", async () => {
    const own = await shopFor(name);
    for (const cases of Object.values(SUPPORTED[name](own)))
      for (const [filter, ids] of Object.entries(cases))
        expect([filter, (await own.list(name, `?${encodeURI(written(filter))}`)).ids]).toEqual([filter, ids]);
    expect(own.sandbox.calls.entries(true)).toEqual([]);
  });

  it("refuses a value of the wrong kind, another list's filter, and invalid pages", async () => {
    const { list, sandbox } = await shopFor(name);
    const wrong: [string, string][] = documented(name).flatMap(({ filter, parameter, schema }) =>
      [schema.items ?? schema].flat().some((one) => {
        const { type, enum: choices, format } = one as Record<string, unknown>;
        return type === "integer" || choices || format;
      })
        ? [[filter, `?${parameter}=%3F`] as [string, string]]
        : [],
    );
    wrong.push(
      ["weather", "?filter[weather]=fine"],
      ["weather", "?filter[weather][]=fine"],
      ["name", "?filter[name][x]=y"],
    );
    wrong.push(["limit", "?limit=30"], ["limit", "?limit=many"], ["page", "?page=0"], ["page", "?page=x"]);
    for (const [child, query] of wrong) {
      const { status, body } = await list(name, query);
      expect([query, status, Object.keys(body.errors ?? {})]).toEqual([query, 400, [`children[${child}]`]]);
    }
    expect(sandbox.calls.totals().faults).toBe(wrong.length);
  });

  it("has pages of 20, 50 or 100; an empty value counts as absent", async () => {
    const { list } = await shopFor(name);
    const all = (await list(name, "?limit=&page=&filter[ids][]=")).ids ?? [];
    expect(all.length).toBeGreaterThan(0);
    expect((await list(name, "?limit=50&page=1")).body.pagination).toEqual({
      limit: 50,
      totalCount: all.length,
      currentPage: 1,
      totalPageCount: 1,
    });
    expect((await list(name, "?page=2")).ids).toEqual([]);
  });
});

describe("lists", () => {
  it("are paged", async () => {
    const { crm, list } = await shop();
    for (let n = 0; n < 21; n++)
      await crm("POST", "/api/v5/customers/create", { customer: JSON.stringify({ firstName: "Many" }) });
    const first = await list("customers", "?filter[name]=many");
    const second = await list("customers", "?filter[name]=many&page=2");
    expect([first.ids?.length, second.ids?.length, second.body.pagination]).toEqual([
      20,
      1,
      { limit: 20, totalCount: 21, currentPage: 2, totalPageCount: 2 },
    ]);
  });

  it("of history page by sinceId or by page, not by both", async () => {
    const { list } = await shop();
    const { status, body } = await list("history", "?filter%5BsinceId%5D=1&page=2");
    expect([status, body.errorMsg]).toEqual([400, "Errors in the input parameters"]);
  });

  it("of customers know contractor data only while the account has no corporate customers", async () => {
    const { list, switches } = await shop();
    expect((await list("customers", "?filter[contragentInn]=1")).status).toBe(200);
    await switches({ corporateOn: true });
    expect((await list("customers", "?filter[contragentInn]=1")).status).toBe(400);
  });

  it("are all described", () => {
    expect(Object.keys(FILTERS).sort()).toEqual([...NAMES].sort());
  });
});
