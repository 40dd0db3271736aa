import { describe, expect, it } from "vitest";
import { LEFT_OUT } from "../../src/archive/parts.ts";
import { archived } from "../../src/archive/write.ts";
import { createWorld } from "../../src/new-world.ts";
import { account, bot, chatting } from "../spec/account.ts";

type Sandboxed = Pick<ReturnType<typeof account>, "sandbox">;
const PATH = "http://sandbox/sandbox/account.ndjson";

const saved = async ({ sandbox }: Sandboxed) => (await sandbox.fetch(new Request(PATH), {})).text();

async function load({ sandbox }: Sandboxed, body: string | ReadableStream) {
  const init = { method: "PUT", body, duplex: "half" } as RequestInit;
  const answer = await sandbox.fetch(new Request(PATH, init), {});
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const line = (table: string, record: unknown, key?: string) => `${JSON.stringify({ table, key, record })}\n`;

/** Ids go on after the higher of both accounts'. */
/** The seal changes with the last id. */
const withoutLastId = (text: string) => text.replace(/"lastId":\d+,/, "").replace(/\{"table":"seal".*/, "");

/** The text in pieces of a few bytes, which cut lines and letters. */
const inPieces = (text: string) => {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => bytes.subarray(n * 7, n * 7 + 7));
  return ReadableStream.from(pieces);
};

const ITEM = { id: 9, quantity: 1, initialPrice: 2 };
const ORDER = { id: 8, number: "8A", status: "new", createdAt: "2026-05-01 10:00:00", items: [ITEM] };

/** An account with a chat, a file, a bot and records of the CRM. */
async function full() {
  const own = await chatting();
  const { submit, crm, say, edit, asBot, upload, post } = own;
  await edit(bot());
  await asBot("PUT", "/my/commands/help", { description: "Helps" });
  await upload(Buffer.from("bytes of a file"));
  await say("Здравствуйте");
  await post("A second one");
  await submit("/api/v5/custom-fields/customer/create", {
    customField: { code: "size", name: "Größe", type: "integer" },
  });
  const customer = { externalId: "ann", firstName: "Анна", customFields: { size: 42 } };
  const { id } = (await submit("/api/v5/customers/create", { customer })).body;
  await submit("/api/v5/customers/notes/create", { note: { text: "Pays late", customer: { id } } });
  await submit("/api/v5/tasks/create", { task: { text: "Call", performerId: 1, customer: { id } } });
  await crm("POST", `/api/v5/customers/ann/edit`, { customer: JSON.stringify({ vip: true }) });
  await submit("/api/v5/reference/units/l/edit", { unit: { name: "Litre", sym: "l" } });
  return { ...own, id };
}

describe("an account's archive", () => {
  it("brings the whole account back", async () => {
    const before = await saved(await full());
    const own = account();
    expect((await load(own, inPieces(before))).status).toBe(200);
    expect(withoutLastId(await saved(own))).toBe(withoutLastId(before));
  });

  it("has a line a record, which names its table", async () => {
    const own = await full();
    const lines = (await saved(own)).trimEnd().split("\n");
    const records = lines.map((each) => JSON.parse(each));
    expect(records[0]).toMatchObject({ table: "account", record: { versions: ["3.0", "4.0", "5.0"] } });
    const ann = own.world.tables.customers.rows.get(own.id);
    expect(records).toContainEqual({ table: "customers", record: ann });
    expect(records).toContainEqual({ table: "customFields", key: "customer/size", record: expect.anything() });
  });

  it("leaves out nothing of the account but what it names", async () => {
    const fields = Object.entries(createWorld(0)).filter(([, value]) => typeof value !== "function");
    for (const [field] of fields) {
      const world = createWorld(0);
      const before = await new Response(archived(world)).text();
      changeField(world as unknown as Record<string, unknown>, field);
      const changed = (await new Response(archived(world)).text()) !== before;
      expect([field, changed]).toEqual([field, !(LEFT_OUT as readonly string[]).includes(field)]);
    }
  });

  it("keeps tokens and keys: a module, a bot and an agent go on where they were", async () => {
    const before = await full();
    const own = account();
    await load(own, await saved(before));
    expect(own.tokenOf("m")).toBe(before.tokenOf("m"));
    expect((await own.transport("GET", "/channels")).body).toMatchObject([{ id: before.channel }]);
    expect((await own.asBot("GET", "/my/commands")).body).toMatchObject([{ name: "help" }]);
    const messages = `/messages?chat_id=${before.chat}`;
    expect((await own.asUser("GET", messages)).body).toEqual((await before.asUser("GET", messages)).body);
    expect(own.world.findMessage(before.channel, { external_id: "m1" })?.text).toBe("hello");
  });

  it("finds restored records by their indexed fields, and tells their history", async () => {
    const before = await full();
    const own = account();
    await load(own, await saved(before));
    expect((await own.crm("GET", "/api/v5/customers/ann")).body.customer).toMatchObject({ id: before.id, vip: true });
    const told = (await own.crm("GET", "/api/v5/customers/history?filter[customerExternalId]=ann")).body;
    expect(told.history).toMatchObject([{ field: "id" }, { field: "vip", newValue: true }, { field: "segments" }]);
  });

  it("gives new records ids above the restored ones", async () => {
    const own = account();
    await load(own, line("account", { lastId: 2_000_000_000 }));
    expect(own.world.nextId()).toBe(2_000_000_001);
    await load(own, line("customers", { id: 3_000_000_000, firstName: "Ann" }));
    expect(own.world.nextId()).toBe(3_000_000_001);
  });

  it("adds to the account where no line has the account itself", async () => {
    const own = await full();
    const { size } = own.world.tables.customers.rows;
    const { body } = await load(own, `${line("customers", { id: 7, externalId: "bob" })}\n`);
    expect(body).toEqual({ success: true, records: { customers: 1 } });
    expect(own.world.tables.customers.rows.size).toBe(size + 1);
    await load(own, line("account", {}));
    expect(own.world.tables.customers.rows.size).toBe(0);
    expect(own.world.chats.size + own.world.messages.length + own.world.everything.length).toBe(0);
  });

  it.each([
    ["{", /^line 3: not JSON: /],
    ["[]", "line 3: the line has no table"],
    ['{"table":"ships","record":{"id":1}}', "line 3: there is no table ships"],
    ['{"table":"customers"}', "line 3: the record is not an object"],
    ['{"table":"customers","record":{"id":"7"}}', "line 3: the record has no id above 0"],
    ['{"table":"customFields","record":{"code":"size"}}', "line 3: the line has no key"],
    ['{"table":"templates","record":[]}', "line 3: the record is not an object"],
    ['{"table":"account","record":{"corporateOn":"yes"}}', /^line 3: corporateOn: /],
    [line("customers", { id: 8, phones: "+356" }), "line 3: phones must be array"],
    [line("customers", { id: 8, createdAt: "2026-02-30 10:00:00" }), "line 3: createdAt is not a date (Y-m-d H:i:s)"],
    [line("customers", { id: 8, site: "moon" }), "line 3: site: there is no site moon"],
    [line("customerNotes", { id: 8, text: "Late" }), "line 3: the record must have required property 'customer'"],
    [
      line("customerNotes", { id: 8, text: "Late", customer: { id: 9 } }),
      "line 3: customer.id: there is no customer 9",
    ],
    [line("tasks", { id: 8, text: "Call", complete: false, performer: 1 }), "line 3: performer: there is no user 1"],
    [line("orders", { ...ORDER, status: "lost" }), "line 3: status: there is no status lost"],
    [line("orders", { ...ORDER, items: [{ ...ITEM, quantity: "1" }] }), "line 3: items.0.quantity must be number"],
    [
      line("orders", { ...ORDER, items: [{ ...ITEM, offer: { id: 9 } }] }),
      "line 3: items.offer.id: there is no offer 9",
    ],
    [line("productGroups", { id: 8, name: "A", parentId: 8 }), "line 3: parentId: the group is above itself"],
    [line("reference/units", { code: "l" }, "m"), "line 3: the key is not the record's code"],
    [line("history/customers", { id: 8, of: 7, field: "vip" }), /^line 3: the record must have required property/],
    [line("chats", { id: 8 }), /^line 3: the record must have required property/],
    [line("templates", { name: "Hi" }), /^line 3: the record must have required property/],
  ])("names a bad line and changes nothing: %s", async (bad, words) => {
    const own = await full();
    const before = await saved(own);
    const good = line("customers", { id: 7 });
    const { status, body } = await load(own, `${line("account", {})}${good}${bad.trimEnd()}\n${good}`);
    const [error] = body.errors as string[];
    expect([status, error]).toEqual([400, typeof words === "string" ? words : expect.stringMatching(words)]);
    expect(await saved(own)).toBe(before);
  });

  it("is written as it is read: of a large account only what is asked for", async () => {
    const world = createWorld(0);
    let written = 0;
    const toJSON = () => {
      written += 1;
      return { id: 1, text: "x".repeat(1000) };
    };
    for (let id = 1; id <= 10_000; id++) world.tables.customers.put({ id, toJSON });
    const reader = archived(world).getReader();
    await reader.read();
    expect(written).toBeLessThan(1000);
    await reader.cancel();
  });
});

const PROBE = { id: 987_654_321, externalId: "probe", commands: new Map(), bytes: new Uint8Array(), type: "text" };

function changeField(world: Record<string, unknown>, field: string): void {
  const value = world[field];
  if (typeof value === "boolean") world[field] = !value;
  else if (field === "tables") (value as { tasks: { put(probe: object): void } }).tasks.put(PROBE);
  else if (field === "histories") (value as Map<string, unknown>).set("customers", [PROBE]);
  else if (field === "dictionaries") (value as Map<string, Map<string, unknown>>).get("units")?.set("probe", PROBE);
  else if (field === "messages") (world.addMessage as (message: object) => void)(PROBE);
  else if (value instanceof Map) value.set("probe", PROBE);
  else if (Array.isArray(value)) value.push(PROBE);
  else Object.assign(value as object, { language: "xx" });
}
