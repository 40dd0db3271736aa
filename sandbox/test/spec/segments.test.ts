import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";
import { describeList } from "./list-promises.ts";

const ROOT = "/api/v5/segments";

/** Ann, a VIP and a contact; Bob, a guest of next day's `party`, which is inactive and a tree. */
async function guests() {
  const own = account();
  const create = async (customer: object) => (await own.submit("/api/v5/customers/create", { customer })).body.id;
  const segment = (body: object) => own.json("POST", "/sandbox/segments", body);
  const ann = await create({ firstName: "Ann", isContact: true, vip: true });
  const bob = await create({ firstName: "Bob" });
  own.wait(24 * 3_600_000);
  const party = { code: "party", name: "Party", customers: [bob], active: false, isTree: true };
  const { id } = (await segment(party)).body;
  const all = async () => (await own.crm("GET", ROOT)).body.segments as Json[];
  const customers = async (query: string) =>
    ((await own.crm("GET", `/api/v5/customers?${query}`)).body.customers as Json[]).map((customer) => customer.id);
  return { ...own, create, segment, ann, bob, party: id, all, customers };
}

describe("segments", () => {
  it('"/api/v5/segments … List of customer segments.", with the customers that each holds now', async () => {
    const { all, create, party, faults } = await guests();
    expect((await all()).at(-1)).toEqual({
      id: party,
      code: "party",
      name: "Party",
      createdAt: "2026-05-02 10:00:00",
      isDynamic: false,
      customersCount: 1,
      active: false,
    });
    const counts = async () =>
      Object.fromEntries((await all()).map(({ code, customersCount }) => [code, customersCount]));
    expect(await counts()).toEqual({ vip: 1, contacts: 1, regatta: 0, party: 1 });
    await create({ firstName: "Cat", isContact: true });
    expect(await counts()).toEqual({ vip: 1, contacts: 2, regatta: 0, party: 1 });
    expect(faults()).toEqual([]);
  });

  it('stand on their customers, who are found by them: "customers[][segments] … R … collection … Returned by the customer list." / "customer[segments] … R … collection … Returned by customer information." / "GET … /api/v5/customers … Returns customers[][segments]." / "POST … /api/v5/customers/{externalId} … Returns customer[segments]."', async () => {
    const { crm, ann, bob, party, customers, submit, faults } = await guests();
    /** The same by the list and by both calls of one. */
    const codes = async (id: unknown) => {
      const path = `/api/v5/customers/${id}`;
      const answers = [
        ((await crm("GET", `/api/v5/customers?filter[ids][]=${id}`)).body.customers as Json[])[0],
        (await crm("GET", `${path}?by=id`)).body.customer,
        (await crm("POST", path, { by: "id" })).body.customer,
      ] as { segments: Json[] }[];
      const [listed, got, posted] = answers.map(({ segments }) => segments.map(({ code }) => code));
      expect([got, posted]).toEqual([listed, listed]);
      return listed;
    };
    expect([await codes(ann), await codes(bob)]).toEqual([["vip", "contacts"], ["party"]]);
    expect(await customers("filter[segment]=contacts")).toEqual([ann]);
    expect(await customers(`filter[segment]=${party}`)).toEqual([bob]);
    await submit(`/api/v5/customers/${ann}/edit`, { by: "id", customer: { vip: false, segments: [{ id: party }] } });
    expect(await codes(ann)).toEqual(["contacts"]);
    expect(faults()).toEqual([]);
  });

  it("are made with a code of their own, and with customers that exist", async () => {
    const { segment, all } = await guests();
    expect((await segment({ code: "party", name: "Again" })).status).toBe(400);
    expect((await segment({ code: "none", name: "None", customers: [7] })).status).toBe(400);
    expect(await all()).toHaveLength(4);
    expect((await segment({ code: "bad", name: "Bad", rule: { bad: true } })).body).toMatchObject({ isDynamic: true });
  });

  it("need segment_read", async () => {
    const { crm, json } = await guests();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["segment_read"] });
    await json("POST", "/sandbox/keys", { key: "poor", scopes: ["customer_read"] });
    expect((await crm("GET", ROOT, undefined, "reader")).status).toBe(200);
    expect((await crm("GET", ROOT, undefined, "poor")).status).toBe(403);
  });
});

describeList({
  path: ROOT,
  many: "segments",
  prepare: guests,
  found: ({ party }) => ({
    "name]=person": [2],
    "type]=static": [3, party],
    "type]=dynamic": [1, 2],
    "active]=0": [party],
    "minCustomersCount]=1": [1, 2, party],
    "maxCustomersCount]=0": [3],
    "ids][]=2": [2],
    "dateFrom]=2026-05-02": [party],
    "dateTo]=2026-05-01": [1, 2, 3],
    "isTree]=1": [party],
  }),
});
