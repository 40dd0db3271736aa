import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/crm/records.ts";
import { DICTIONARIES } from "../../src/crm/reference/dictionaries.ts";
import { entriesOf, type Seeded, seeded } from "./shop.ts";

/** Lists by path, with the answer's field. */
const LISTS: Record<string, string> = {
  customers: "customers",
  "customers-corporate": "customersCorporate",
  "customers/notes": "notes",
  "customers-corporate/notes": "notes",
  orders: "orders",
  "orders/packs": "packs",
  tasks: "tasks",
  "delivery/shipments": "deliveryShipments",
  "store/products": "products",
  "store/offers": "offers",
  "store/inventories": "offers",
  "store/product-groups": "productGroup",
  "store/products/properties": "properties",
  segments: "segments",
  users: "users",
  "custom-fields": "customFields",
};
const HISTORIES = ["customers", "customers-corporate", "orders", "orders/packs", "tasks"];
/** Records by path, with the answer's field; those named by id. */
const RECORDS: Record<string, { one: string; table: Parameters<typeof entriesOf>[1] }> = {
  customers: { one: "customer", table: "customers" },
  "customers-corporate": { one: "customerCorporate", table: "corporate" },
  orders: { one: "order", table: "orders" },
  tasks: { one: "task", table: "tasks" },
  "orders/packs": { one: "pack", table: "packs" },
  "delivery/shipments": { one: "deliveryShipment", table: "shipments" },
};

/** All pages of a list. */
async function all({ read }: Seeded, path: string, many: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const body = await read(`/api/v5/${path}?limit=100&page=${page}`);
    entries.push(...(body[many] as Entry[]));
    last = Number((body.pagination as Entry).totalPageCount);
  }
  return entries;
}

const some = (entries: Entry[]): Entry[] => entries.filter((_, n) => n % 20 === 0);

describe("what a seed built", () => {
  it("fits the contract: every list, dictionary and record", async () => {
    const own = await seeded();
    for (const [path, many] of Object.entries(LISTS)) {
      const entries = await all(own, path, many);
      expect([path, entries.length]).toEqual([path, expect.toSatisfy((size: number) => size > 2)]);
    }
    for (const { path } of DICTIONARIES) await own.read(`/api/v5/reference/${path}`);
    for (const [path, { table }] of Object.entries(RECORDS))
      for (const { id } of some(entriesOf(own, table))) await own.read(`/api/v5/${path}/${id}?by=id`);
    for (const { task } of some(entriesOf(own, "taskComments"))) {
      const { comments } = await own.read(`/api/v5/tasks/${task}/comments`);
      expect(comments).toHaveLength(1);
    }
    expect(own.faults()).toEqual([]);
  });

  it("has histories in order of time, which tell of each record's creation and of its last state", async () => {
    const own = await seeded();
    for (const path of HISTORIES) {
      const first = await own.read(`/api/v5/${path}/history?limit=100&filter[sinceId]=1`);
      const told = own.world.histories.get(path.replace("orders/", "")) ?? [];
      expect((first.history as Entry[]).map(({ id }) => id)).toEqual(told.slice(0, 100).map(({ id }) => id));
      const places = told.map(({ createdAt, id }) => `${createdAt} ${id}`);
      expect(places).toEqual([...places].sort());
      const created = told.filter(({ created }) => created).map(({ of }) => of);
      const { table } = RECORDS[path] ?? {};
      expect(created.sort()).toEqual(
        table &&
          entriesOf(own, table)
            .map(({ id }) => id)
            .sort(),
      );
    }
    const told = own.world.histories.get("orders") ?? [];
    const statuses = new Map(told.flatMap(({ of, field, newValue }) => (field === "status" ? [[of, newValue]] : [])));
    for (const { id, status } of entriesOf(own, "orders")) expect(statuses.get(Number(id))).toEqual({ code: status });
    expect(own.faults()).toEqual([]);
  });

  it("stays as it is when a client sends back what it was shown", async () => {
    const own = await seeded();
    const told = () => [...own.world.histories].map(([name, { length }]) => [name, length]);
    const before = told();
    for (const [path, { one, table }] of Object.entries(RECORDS))
      for (const { id } of some(entriesOf(own, table))) await sentBack(own, `/api/v5/${path}/${id}`, one);
    for (const path of ["addresses", "companies", "contacts"]) await partsSentBack(own, path);
    await productsSentBack(own);
    expect(told()).toEqual(before);
    expect(own.faults()).toEqual([]);
  });
});

/** The form takes payments as a list; answers show a map. */
const asGiven = ({ payments, ...entry }: Entry): Entry => ({
  ...entry,
  ...(payments !== undefined && { payments: Object.values(payments as Entry) }),
});

async function sentBack(own: Seeded, path: string, one: string): Promise<void> {
  const shown = (await own.read(`${path}?by=id`))[one] as Entry;
  await own.post(`${path}/edit`, { by: "id", site: shown.site ?? "shop", [one]: asGiven(shown) });
  expect((await own.read(`${path}?by=id`))[one]).toEqual(shown);
}

const ONE: Record<string, string> = { addresses: "address", companies: "company", contacts: "contact" };

async function partsSentBack(own: Seeded, path: string): Promise<void> {
  for (const { id } of some(entriesOf(own, "corporate"))) {
    const root = `/api/v5/customers-corporate/${id}/${path}`;
    const shown = (await own.read(`${root}?by=id`))[path] as Entry[];
    for (const part of shown) {
      const key = path === "contacts" ? (part.customer as Entry).id : part.id;
      await own.post(`${root}/${key}/edit`, { by: "id", entityBy: "id", [ONE[path] ?? ""]: part });
    }
    expect((await own.read(`${root}?by=id`))[path]).toEqual(shown);
  }
}

/** The time of the last change is no field of the record. */
const untimed = ({ updatedAt: _, ...product }: Entry): Entry => product;

async function productsSentBack(own: Seeded): Promise<void> {
  const list = "/api/v5/store/products?limit=50";
  const shown = (await own.read(list)).products as Entry[];
  await own.post("/api/v5/store/products/batch/edit", { products: shown });
  expect(((await own.read(list)).products as Entry[]).map(untimed)).toEqual(shown.map(untimed));
}
