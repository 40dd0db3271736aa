import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";

// What customers and corporate customers promise alike.

const DAY_MS = 24 * 3_600_000;
interface Party {
  path: string;
  /** The form's field. */
  one: string;
  type: string;
  entity: object;
  /** The spec's sentences. */
  notes: string;
}
const PARTIES: Party[] = [
  {
    path: "/api/v5/customers",
    one: "customer",
    type: "customer",
    entity: { firstName: "Ann" },
    notes:
      '"/api/v5/customers/notes/create … Add a note." / "/api/v5/customers/notes … List of notes." / "/api/v5/customers/notes/{id}/delete … Delete a note."',
  },
  {
    path: "/api/v5/customers-corporate",
    one: "customerCorporate",
    type: "customer_corporate",
    entity: { nickName: "Firm" },
    notes:
      '"/api/v5/customers-corporate/notes … List of notes." / "/api/v5/customers-corporate/notes/create … Create a note." / "/api/v5/customers-corporate/notes/{id}/delete … Delete a note."',
  },
];

describe.each(PARTIES)("$path", ({ path, one, type, entity, notes }) => {
  async function noted() {
    const own = account();
    const create = async (externalId: string) =>
      (await own.submit(`${path}/create`, { [one]: { ...entity, externalId } })).body.id;
    const note = async (given: object) => (await own.submit(`${path}/notes/create`, { note: given })).body;
    const list = async (query = "", at = path) =>
      (await own.crm("GET", `${at}/notes?${query}`)).body.notes as (Json & { text: string })[];
    const [ann, bob] = [await create("ann"), await create("bob")];
    const first = await note({ text: "Pays late", managerId: 1, customer: { externalId: "ann" } });
    own.wait(DAY_MS);
    const second = await note({ text: "Likes rope", customer: { id: bob } });
    return { ...own, ann, bob, first: first.id, second: second.id, note, list };
  }

  it(`has notes: ${notes}`, async () => {
    const { ann, bob, first, second, list, crm, faults } = await noted();
    const cases: [query: string, found: unknown[]][] = [
      ["", [first, second]],
      [`filter[ids][]=${first}`, [first]],
      [`filter[customerIds][]=${bob}`, [second]],
      ["filter[customerExternalIds][]=ann", [first]],
      ["filter[customerExternalIds][]=cat", []],
      ["filter[managerIds][]=1", [first]],
      ["filter[text]=rope", [second]],
      ["filter[createdAtFrom]=2026-05-02 00:00:00", [second]],
      ["filter[createdAtTo]=2026-05-01 23:59:59", [first]],
    ];
    for (const [query, found] of cases)
      expect([query, (await list(query)).map(({ id }) => id)]).toEqual([query, found]);
    expect((await list())[0]).toMatchObject({ customer: { type, id: ann, externalId: "ann" } });
    const [other = ""] = PARTIES.map((party) => party.path).filter((each) => each !== path);
    expect(await list("", other)).toEqual([]);
    expect((await crm("POST", `${path}/notes/${first}/delete`)).body).toEqual({ success: true });
    expect((await list()).map(({ id }) => id)).toEqual([second]);
    expect(faults()).toEqual([]);
  });

  it("has notes about somebody, which are deleted once", async () => {
    const { first, note, crm } = await noted();
    expect((await note({ text: "x" })).errors).toEqual({ customer: "Set one of the following fields: id, externalId" });
    await crm("POST", `${path}/notes/${first}/delete`);
    expect(await crm("POST", `${path}/notes/${first}/delete`)).toMatchObject({
      status: 404,
      body: { errorMsg: "Note not found" },
    });
  });

  it("needs customer_read to be read and customer_write to be changed", async () => {
    const { crm, json } = account();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["customer_read"] });
    const form = { [one]: JSON.stringify(entity) };
    const statuses = [
      (await crm("GET", path, undefined, "reader")).status,
      (await crm("POST", `${path}/create`, form, "reader")).status,
    ];
    expect(statuses).toEqual([200, 403]);
  });
});
