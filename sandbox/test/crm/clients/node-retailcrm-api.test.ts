import RetailCRM from "node-retailcrm-api";
import { describe, expect, it, onTestFinished } from "vitest";
import { SANDBOX_KEY } from "../../../src/crm/rights.ts";
import { serveSandbox } from "../../../src/serve.ts";

/** The library as it comes from npm; only its URL leads to the sandbox, which keeps no rate of the CRM: the library has none. */
async function joined({ apiKey = SANDBOX_KEY, settings = {} } = {}) {
  const running = await serveSandbox({ port: 0, settings: { crmPerSecond: 0, ...settings } });
  onTestFinished(running.close);
  const api = RetailCRM({ url: running.origin, apiKey, siteCode: "shop" });
  /** What a successful call answers in a field. */
  const call = async (section: string, method: string, parameters: unknown[] = [], field = "success") => {
    const answer = await api[section]?.[method]?.(...parameters);
    expect([section, method, answer?.isSuccessful(), answer?.isSuccessful() ? "" : answer?.errorMsg()]).toEqual([
      section,
      method,
      true,
      "",
    ]);
    return answer?.getFromBody(field);
  };
  const faults = () => running.sandbox.calls.entries(true).map(({ operation, faults }) => [operation, faults]);
  return { api, call, faults };
}

describe("node-retailcrm-api", () => {
  it("keeps customers: creates, finds, edits, uploads, combines, annotates them and reads their history", async () => {
    const { call, faults } = await joined();
    const id = await call("customers", "create", [{ externalId: "ann", firstName: "Ann", email: "a@b.example" }], "id");
    await call("customers", "updateById", [{ id, lastName: "Anchor" }]);
    await call("customers", "updateByExternalId", [{ externalId: "ann", vip: true }]);
    const ann = { id, externalId: "ann", firstName: "Ann", lastName: "Anchor", vip: true };
    expect(await call("customers", "fetchById", [id], "customer")).toMatchObject(ann);
    expect(await call("customers", "fetchByExternalId", ["ann"], "customer")).toMatchObject(ann);
    const filter = { ids: [id], email: "a@b" };
    expect(await call("customers", "list", [filter, 1, 50], "customers")).toMatchObject([ann]);
    const [bob] = (await call("customers", "upload", [[{ firstName: "Bob" }]], "uploadedCustomers")) as {
      id: number;
    }[];
    await call("customers", "fixExternalIds", [[{ id: bob?.id, externalId: "bob" }]]);
    const note = await call("customers", "createNote", [{ text: "Pays late", customer: { id } }], "id");
    expect(await call("customers", "listNotes", [{ customerIds: [id] }], "notes")).toMatchObject([{ id: note }]);
    await call("customers", "removeNote", [note]);
    await call("customers", "combine", [[{ id: bob?.id }], { id }]);
    const history = await call("customers", "history", [{ customerId: id }], "history");
    expect(history).toContainEqual(expect.objectContaining({ field: "last_name", newValue: "Anchor" }));
    expect(faults()).toEqual([]);
  });

  it("keeps custom fields, their data books, and tasks", async () => {
    const { call, faults } = await joined();
    const book = { code: "colours", name: "Colours", elements: [{ name: "Red", code: "red" }] };
    await call("customfields", "createDictionary", [book]);
    await call("customfields", "updateDictionary", [{ ...book, name: "Shades" }]);
    expect(await call("customfields", "fetchDictionary", ["colours"], "customDictionary")).toMatchObject({
      name: "Shades",
    });
    await call("customfields", "create", [
      { code: "colour", name: "Colour", type: "dictionary", dictionary: "colours" },
      "order",
    ]);
    await call("customfields", "update", [{ code: "colour", name: "Shade" }, "order"]);
    expect(await call("customfields", "fetch", ["colour", "order"], "customField")).toMatchObject({ name: "Shade" });
    expect(await call("customfields", "list", [{ entity: "order" }], "customFields")).toHaveLength(1);
    const id = await call("tasks", "create", [{ text: "Call Ann", performerId: 1 }], "id");
    await call("tasks", "update", [{ id, complete: true }]);
    expect(await call("tasks", "fetch", [id], "task")).toMatchObject({ complete: true });
    expect(await call("tasks", "list", [{ status: "completed" }], "tasks")).toMatchObject([{ id }]);
    expect(faults()).toEqual([]);
  });

  it("reads and edits the dictionaries and the catalogue", async () => {
    const { call, faults } = await joined();
    const LISTS = "Countries DeliveryServices DeliveryTypes OrderMethods OrderTypes PaymentStatuses PaymentTypes";
    const MORE = "ProductStatuses Sites StatusGroups Statuses Stores PriceTypes CostGroups CostItems Couriers";
    for (const name of `${LISTS} ${MORE}`.split(" ")) await call("references", `list${name}`);
    await call("references", "updateStore", [{ code: "pier", name: "Pier" }]);
    await call("references", "updateStatus", [{ code: "waiting", name: "Waiting", group: "new" }]);
    const id = await call("references", "createCourier", [{ firstName: "Rita" }], "id");
    await call("references", "updateCourier", [{ id, active: false }]);
    const [product] = (await call("stores", "listProducts", [{ name: "bag" }], "products")) as {
      offers: { id: number }[];
    }[];
    const offer = product?.offers[0]?.id;
    await call("stores", "uploadPrices", [[{ id: offer, prices: [{ code: "base", price: 70 }] }]]);
    await call("stores", "uploadInventories", [[{ id: offer, stores: [{ code: "pier", available: 3 }] }]]);
    const stocks = await call("stores", "listInventories", [{ ids: [offer], details: 1 }], "offers");
    expect(stocks).toMatchObject([
      { id: offer, stores: expect.arrayContaining([expect.objectContaining({ quantity: 3 })]) },
    ]);
    await call("stores", "listProductGroups");
    await call("stores", "listProductProperties");
    expect(faults()).toEqual([]);
  });

  it("reports refusals in the CRM's words", async () => {
    const { api } = await joined({ apiKey: "wrong" });
    const refused = await api.customers?.list?.();
    expect([refused?.isSuccessful(), refused?.statusCode(), refused?.errorMsg()]).toEqual([
      false,
      403,
      'Wrong "apiKey" value.',
    ]);
  });

  it("cannot write to an account that reads no JSON forms (crmJson)", async () => {
    const { api } = await joined({ settings: { crmJson: "ignore" } });
    const refused = await api.customers?.create?.({ firstName: "Ann" });
    expect([refused?.statusCode(), refused?.errorMsg()]).toEqual([400, "Parameter 'customer' is missing"]);
  });
});
