import { describe, expect, it } from "vitest";
import { servedContract } from "../../src/crm/contract.ts";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";

const ROOT = "/api/v5/files";
const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

function files() {
  const own = account();
  const ask = (path: string, init: RequestInit = {}) => {
    const headers = { "x-api-key": "sandbox-key", ...init.headers };
    return own.sandbox.fetch(new Request(`http://sandbox${ROOT}${path}`, { ...init, headers }), {});
  };
  const upload = async (body: RequestInit["body"], type = "application/octet-stream") => {
    const headers: Record<string, string> = body instanceof FormData ? {} : { "content-type": type };
    const answer = await ask("/upload", { method: "POST", body, headers });
    return { status: answer.status, body: (await answer.json()) as Json & { file: { id: number } } };
  };
  const uploaded = async (body: RequestInit["body"] = "Hello") => (await upload(body)).body.file.id;
  const read = async (id: number) => (await own.crm("GET", `${ROOT}/${id}`)).body.file as Json;
  const edit = (id: number, file: object) => own.submit(`${ROOT}/${id}/edit`, { file });
  const remove = (id: number) => own.crm("POST", `${ROOT}/${id}/delete`, {});
  const found = async (query: string) =>
    ((await own.crm("GET", `${ROOT}?${query}`)).body.files as Json[] | undefined)?.map(({ filename }) => filename);
  const customer = async () => {
    const customer = { externalId: "ann", firstName: "Ann" };
    return Number((await own.submit("/api/v5/customers/create", { customer })).body.id);
  };
  return { ...own, ask, upload, uploaded, read, edit, remove, found, customer };
}

describe("a file", () => {
  it('"/api/v5/files/upload … Upload a file." / "/api/v5/files/{id} … Information about a file.": named by its time; size and type are those of its bytes', async () => {
    const { upload, read, faults } = files();
    const { status, body } = await upload("Hello", "image/png");
    expect([status, body]).toEqual([200, { success: true, file: { id: expect.any(Number) } }]);
    expect(await read(body.file.id)).toEqual({
      id: body.file.id,
      filename: "API upload 01-05-2026 10:00:00",
      type: "text/plain",
      createdAt: "2026-05-01 10:00:00",
      size: 5,
      attachment: [],
    });
    expect(faults()).toEqual([]);
  });

  it.each([
    ["raw bytes, whatever their type", PNG],
    ["a form's file", new Blob([PNG])],
  ])("comes as %s", async (_, given) => {
    const { upload, read, faults } = files();
    const form = new FormData();
    if (given instanceof Blob) form.set("file", given, "picture");
    const { body } = await upload(given instanceof Blob ? form : given, "application/x-www-form-urlencoded");
    expect(await read(body.file.id)).toMatchObject({ type: "image/png", size: 8 });
    expect(faults()).toEqual([]);
  });

  it('"/api/v5/files/{id}/download … Download a file.": its bytes, with its name in any script', async () => {
    const { ask, uploaded, edit, faults } = files();
    const id = await uploaded(PNG);
    await edit(id, { filename: 'Счёт "1".png' });
    const answer = await ask(`/${id}/download`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="____ _1_.png"; filename*=UTF-8''${encodeURIComponent('Счёт "1".png')}`,
    });
    expect(faults()).toEqual([]);
  });

  it('"/api/v5/files/{id}/edit … Edit the file name and its binding to orders and customers.", by any of their names', async () => {
    const { uploaded, edit, read, customer, faults } = files();
    const [id, ann] = [await uploaded(), await customer()];
    const all = [
      { customer: { id: ann, externalId: "ann", site: "shop" } },
      { order: expect.objectContaining({ id: 5001, number: "5001A" }) },
    ];
    for (const attachment of [
      [{ customer: { id: ann } }, { order: { id: 5001 } }],
      [{ customer: { externalId: "ann", site: "shop" } }, { order: { number: "5001A" } }],
    ]) {
      const { body } = await edit(id, { filename: "Bill.txt", attachment, size: 1 });
      expect(body).toEqual({ success: true, file: { id } });
      expect(await read(id)).toMatchObject({ filename: "Bill.txt", size: 5, attachment: all });
    }
    await edit(id, { filename: "Bill 2.txt" });
    expect(await read(id)).toMatchObject({ filename: "Bill 2.txt", attachment: all });
    await edit(id, { attachment: [] });
    expect(await read(id)).toMatchObject({ attachment: [] });
    expect(faults()).toEqual([]);
  });

  it('"/api/v5/files/{id}/delete … Delete a file.": its record and its bytes', async () => {
    const { uploaded, remove, found, ask, world, faults } = files();
    const id = await uploaded();
    expect((await remove(id)).body).toEqual({ success: true });
    expect(await found("")).toEqual([]);
    expect(world.files.size).toBe(0);
    for (const path of [`/${id}`, `/${id}/download`])
      expect(await (await ask(path)).json()).toEqual({ success: false, errorMsg: "Not Found" });
    for (const act of ["edit", "delete"])
      expect((await ask(`/${id}/${act}`, { method: "POST", body: new URLSearchParams({ file: "{}" }) })).status).toBe(
        404,
      );
    expect(faults()).toEqual([]);
  });

  it.each([
    [{ attachment: [{ customer: { id: 7 } }] }, "attachment[0].customer", "This value is not valid."],
    [
      { attachment: [{ customer: { externalId: "ann", site: "market" } }] },
      "attachment[0].customer",
      "This value is not valid.",
    ],
    [
      { attachment: [{ order: { number: "5001A" } }, { order: { id: 7 } }] },
      "attachment[1].order",
      "This value is not valid.",
    ],
  ])("is not bound with %o", async (file, field, words) => {
    const { uploaded, edit, read, customer } = files();
    await customer();
    const id = await uploaded();
    expect(await edit(id, file)).toMatchObject({
      status: 400,
      body: { success: false, errorMsg: "Errors in the entity format", errors: { [field]: words } },
    });
    expect(await read(id)).toMatchObject({ attachment: [] });
  });

  it("is refused empty, and while the account is unpaid", async () => {
    const { upload, switches, found } = files();
    expect((await upload("")).status).toBe(400);
    await switches({ unpaid: true });
    const words = "Your account doesn't have enough money to upload files.";
    expect(await upload("Hello")).toEqual({ status: 400, body: { success: false, errorMsg: words } });
    expect(await found("")).toEqual([]);
  });

  it("needs file_read to be read and file_write to be changed", async () => {
    const { ask, json } = files();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["file_read"] });
    const headers = { "x-api-key": "reader" };
    expect((await ask("", { headers })).status).toBe(200);
    expect((await ask("/upload", { headers, method: "POST", body: "Hello" })).status).toBe(403);
  });

  it.each(["customers", "customers-corporate"])("follows when its customer is combined: %s", async (path) => {
    const { uploaded, edit, read, submit, switches } = files();
    const corporate = path === "customers-corporate";
    if (corporate) await switches({ corporateOn: true });
    const form = corporate ? "customerCorporate" : "customer";
    const create = async (name: string) => {
      const customer = { externalId: name, ...(corporate ? { nickName: name } : { firstName: name }) };
      return Number((await submit(`/api/v5/${path}/create`, { [form]: customer })).body.id);
    };
    const [ann, eve, bob] = [await create("ann"), await create("eve"), await create("bob")];
    const id = await uploaded();
    await edit(id, { attachment: [{ customer: { id: ann } }, { customer: { id: bob } }] });
    const { status } = await submit(`/api/v5/${path}/combine`, {
      [corporate ? "resultCustomerCorporate" : "resultCustomer"]: { id: eve },
      resultCustomer: { id: eve },
      [corporate ? "customersCorporate" : "customers"]: [{ id: ann }],
      customers: [{ id: ann }],
    });
    expect(status).toBe(200);
    expect(await read(id)).toMatchObject({
      attachment: [{ customer: { id: eve, externalId: "eve" } }, { customer: { id: bob, externalId: "bob" } }],
    });
  });

  it("makes its customer one with attachments", async () => {
    const { uploaded, edit, customer, crm } = files();
    const ann = await customer();
    await edit(await uploaded(), { attachment: [{ customer: { id: ann } }] });
    const having = async (how: number) =>
      ((await crm("GET", `/api/v5/customers?filter[attachments]=${how}`)).body.customers as Json[]).length;
    expect([await having(1), await having(2), await having(3)]).toEqual([1, 1, 0]);
  });
});

/** What each filter finds: of `Hello`, which is a day older and bound, and `Picture`. */
const QUERIES: [query: string, found: string[]][] = [
  ["filter[orderIds][]=5001", ["Hello"]],
  ["filter[orderIds][]=5002", []],
  ["filter[customerExternalIds][]=ann", ["Hello"]],
  ["filter[createdAtFrom]=2026-05-02", ["Picture"]],
  ["filter[createdAtTo]=2026-05-01", ["Hello"]],
  ["filter[sizeFrom]=6", ["Picture"]],
  ["filter[sizeTo]=5", ["Hello"]],
  ["filter[type][]=image/png&filter[type][]=image/gif", ["Picture"]],
  ["filter[filename]=ell", ["Hello"]],
  ["filter[isAttached]=1", ["Hello"]],
  ["filter[isAttached]=0", ["Picture"]],
  ["filter[sites][]=shop", ["Hello"]],
  ["limit=50&page=2", []],
];

describe('"/api/v5/files … List of files."', () => {
  const two = async () => {
    const own = files();
    const ann = await own.customer();
    const hello = await own.uploaded("Hello");
    await own.edit(hello, { filename: "Hello", attachment: [{ customer: { id: ann } }, { order: { id: 5001 } }] });
    own.wait(24 * 3_600_000);
    const picture = await own.uploaded(PNG);
    await own.edit(picture, { filename: "Picture" });
    return { ...own, ann, hello };
  };

  it.each(QUERIES)("finds by %s", async (query, names) => {
    const { found, faults } = await two();
    expect(await found(query)).toEqual(names);
    expect(faults()).toEqual([]);
  });

  it("finds by ids, and takes every filter of the contract", async () => {
    const { found, ann, hello } = await two();
    expect(await found(`filter[ids][]=${hello}`)).toEqual(["Hello"]);
    expect(await found(`filter[customerIds][]=${ann}`)).toEqual(["Hello"]);
    expect(await found("filter[customerIds][]=1")).toEqual([]);
    const parameters = servedContract().flatMap(([, { paths }]) => (paths[ROOT]?.get?.parameters ?? []) as Json[]);
    const filters = parameters.flatMap(({ name }) => /^filter\[(\w+)\]/.exec(String(name))?.[1] ?? []);
    const tried = QUERIES.map(([query]) => /^filter\[(\w+)/.exec(query)?.[1]);
    expect(filters.filter((filter) => !tried.includes(filter))).toEqual(["ids", "orderExternalIds", "customerIds"]);
    expect(await found("filter[orderExternalIds][]=x")).toEqual([]);
  });
});
