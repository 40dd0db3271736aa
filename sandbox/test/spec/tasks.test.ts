import { describe, expect, it } from "vitest";
import { servedContract } from "../../src/crm/contract.ts";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";

const ROOT = "/api/v5/tasks";
const CALL = { text: "Call back", datetime: "2026-05-02 09:30", performerId: 1 };

function tasks() {
  const own = account();
  const post = (path: string, task: object) => own.submit(`${ROOT}/${path}`, { task });
  const read = async (id: unknown) => (await own.crm("GET", `${ROOT}/${id}`)).body.task as Json;
  const texts = async (query: string) =>
    ((await own.crm("GET", `${ROOT}${query}`)).body.tasks as Json[] | undefined)?.map(({ text }) => text);
  const customer = async () => {
    const customer = { externalId: "ann", firstName: "Ann" };
    return Number((await own.submit("/api/v5/customers/create", { customer })).body.id);
  };
  return { ...own, post, read, texts, customer };
}

describe("a task", () => {
  it('is done by a user: "/api/v5/tasks/create … Create a task." / "/api/v5/tasks/{id}/edit … Edit a task." / "/api/v5/tasks/{id} … Information about a task." / "/api/v5/tasks … List of tasks."', async () => {
    const { post, read, texts, faults, wait } = tasks();
    const { status, body } = await post("create", CALL);
    expect([status, body]).toEqual([201, { success: true, id: expect.any(Number) }]);
    const known = {
      id: body.id,
      text: "Call back",
      datetime: "2026-05-02 09:30",
      complete: false,
      performer: 1,
      performerType: "user",
      createdAt: "2026-05-01 10:00:00",
    };
    expect(await read(body.id)).toEqual(known);
    wait(60_000);
    expect((await post(`${body.id}/edit`, { complete: true, commentary: "Done" })).body).toEqual({ success: true });
    const done = { ...known, complete: true, commentary: "Done", completedAt: "2026-05-01 10:01:00" };
    expect(await read(body.id)).toEqual(done);
    wait(60_000);
    await post(`${body.id}/edit`, { text: "Called back" });
    expect(await read(body.id)).toEqual({ ...done, text: "Called back" });
    await post(`${body.id}/edit`, { complete: false });
    expect(await read(body.id)).not.toHaveProperty("completedAt");
    expect(await texts("")).toEqual(["Called back"]);
    expect(faults()).toEqual([]);
  });

  it("names its customer and its order by any of their names", async () => {
    const { post, read, faults, customer } = tasks();
    const ann = await customer();
    for (const customer of [{ id: ann }, { externalId: "ann" }])
      for (const order of [{ id: 5001 }, { number: "5001A" }]) {
        const { body } = await post("create", { ...CALL, customer, order });
        expect(await read(body.id)).toMatchObject({
          customer: { type: "customer", id: ann, externalId: "ann", site: "shop" },
          order: { id: 5001, number: "5001A", site: "shop" },
        });
      }
    expect(faults()).toEqual([]);
  });

  it("shows its customer and its order by their names of now, and finds them in the shop that is named", async () => {
    const { submit, post, read, customer, faults } = tasks();
    const ann = await customer();
    const { body } = await post("create", { ...CALL, customer: { id: ann }, order: { id: 5001 } });
    await submit("/api/v5/customers/fix-external-ids", { customers: [{ id: ann, externalId: "anne" }] });
    await submit("/api/v5/orders/fix-external-ids", { orders: [{ id: 5001, externalId: "o-1" }] });
    expect(await read(body.id)).toMatchObject({ customer: { externalId: "anne" }, order: { externalId: "o-1" } });
    expect(faults()).toEqual([]);
    for (const named of [
      { customer: { externalId: "anne", site: "other" } },
      { order: { externalId: "o-1", site: "other" } },
    ])
      expect((await post("create", { ...CALL, ...named })).status).toBe(400);
  });

  it("has comments of users, which the API reads; they go with it", async () => {
    const { post, crm, asAgent, wait, world, faults } = tasks();
    const { body } = await post("create", CALL);
    const [first] = [(await asAgent("POST", `/tasks/${body.id}/comments`, { text: "No answer" })).body];
    wait(60_000);
    await asAgent("POST", `/tasks/${body.id}/comments`, { text: "Spoke to her" });
    await asAgent("PATCH", `/comments/${first.id}`, { text: "No answer at nine" });
    const listed = async (query = "") => (await crm("GET", `${ROOT}/${body.id}/comments${query}`)).body;
    const by = { creator: 1, createdAt: "2026-05-01 10:00:00" };
    expect((await listed()).comments).toEqual([
      { id: first.id, text: "No answer at nine", ...by, updatedAt: "2026-05-01 10:01:00" },
      { ...by, id: expect.any(Number), text: "Spoke to her", createdAt: "2026-05-01 10:01:00" },
    ]);
    expect((await listed("?limit=50&page=2")).pagination).toMatchObject({ limit: 50, totalCount: 2, currentPage: 2 });
    expect(faults()).toEqual([]);
    expect((await crm("GET", `${ROOT}/7/comments`)).status).toBe(404);
    for (const [method, path] of [
      ["POST", "/tasks/7/comments"],
      ["PATCH", "/comments/7"],
    ] as const)
      expect((await asAgent(method, path, { text: "x" })).status).toBe(404);
    await asAgent("DELETE", `/tasks/${body.id}`);
    expect(world.tables.taskComments.rows.size).toBe(0);
  });

  it.each([
    [{ performerId: undefined }, "performerId", "This value should not be blank."],
    [{ performerId: 99 }, "performerId", "This value is not valid."],
    [{ text: undefined }, "text", "This value should not be blank."],
    [{ customer: { id: 7 } }, "customer", "This value is not valid."],
    [{ order: {} }, "order", "This value is not valid."],
  ])("is not loaded with %o", async (change, field, words) => {
    const { post, texts } = tasks();
    expect(await post("create", { ...CALL, ...change })).toMatchObject({
      status: 400,
      body: { success: false, errorMsg: "Task is not loaded", errors: { [field]: words } },
    });
    expect(await texts("")).toEqual([]);
  });

  it("has a history of what was changed", async () => {
    const { post, crm, faults, customer } = tasks();
    const { body } = await post("create", CALL);
    await post(`${body.id}/edit`, { complete: true, customer: { id: await customer() } });
    const told = async (query = "") => (await crm("GET", `${ROOT}/history?${query}`)).body.history as Json[];
    expect(await told()).toMatchObject([
      { created: true, field: "id", newValue: body.id, task: { id: body.id, text: "Call back" } },
      { field: "complete", oldValue: false, newValue: true, source: "api", task: { id: body.id } },
      { field: "customer", oldValue: null, newValue: { id: expect.any(Number) } },
    ]);
    expect([await told(`filter[taskId]=${body.id}`), await told("filter[taskId]=7")]).toMatchObject([
      { length: 3 },
      [],
    ]);
    expect(faults()).toEqual([]);
  });

  it("that does not exist is neither read nor edited", async () => {
    const { post, crm } = tasks();
    expect((await crm("GET", `${ROOT}/7`)).body).toEqual({ success: false, errorMsg: "Not found" });
    expect((await post("7/edit", CALL)).status).toBe(404);
  });

  /** What each filter finds: of `Call back`, which is done, and `Wait`, which is later and about an order. */
  const QUERIES: [query: string, found: string[]][] = [
    ["filter[text]=call", ["Call back"]],
    ["filter[status]=completed", ["Call back"]],
    ["filter[status]=performing", ["Wait"]],
    ["filter[performers][]=1", ["Call back", "Wait"]],
    ["filter[creators][]=1", []],
    ["filter[orderNumber]=5001A", ["Wait"]],
    ["filter[customer]=ann", ["Call back"]],
    ["filter[dateFrom]=2026-05-03", ["Wait"]],
    ["filter[dateTo]=2026-05-02", ["Call back"]],
    ["filter[createdAtFrom]=2026-05-02", ["Wait"]],
    ["filter[createdAtTo]=2026-05-01", ["Call back"]],
    ["filter[completedAtFrom]=2026-05-01", ["Call back"]],
    ["filter[completedAtTo]=2026-04-30", []],
  ];

  it.each(QUERIES)("is found by %s", async (query, found) => {
    const { post, texts, wait, customer } = tasks();
    await post("create", { ...CALL, complete: true, customer: { id: await customer() } });
    wait(24 * 3_600_000);
    await post("create", { ...CALL, text: "Wait", datetime: "2026-05-03 10:00", order: { number: "5001A" } });
    expect(await texts(`?${query}`)).toEqual(found);
  });

  it("is found by its id, and by every filter of the contract but those of tags", async () => {
    const { post, texts, crm } = tasks();
    const { body } = await post("create", CALL);
    expect(await texts(`?filter[ids][]=${body.id}`)).toEqual(["Call back"]);
    expect(await texts("?filter[ids][]=1")).toEqual([]);
    const parameters = servedContract().flatMap(([, { paths }]) => (paths[ROOT]?.get?.parameters ?? []) as Json[]);
    const filters = parameters.map(({ name }) => String(name)).filter((name) => name.startsWith("filter"));
    const tried = [...QUERIES.map(([query]) => query.split("=")[0]), "filter[ids][]"];
    const untried = filters.filter((filter) => !tried.includes(filter));
    expect(untried).toEqual(["filter[tags][]", "filter[attachedTags][]"]);
    for (const filter of untried) expect((await crm("GET", `${ROOT}?${filter}=x`)).status).toBe(400);
  });

  it("needs task_read to be read and task_write to be changed", async () => {
    const { crm, json } = tasks();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["task_read"] });
    const task = { task: JSON.stringify(CALL) };
    const statuses = [
      (await crm("GET", ROOT, undefined, "reader")).status,
      (await crm("POST", `${ROOT}/create`, task, "reader")).status,
      (await crm("POST", `${ROOT}/create`, task)).status,
    ];
    expect(statuses).toEqual([200, 403, 201]);
  });
});
