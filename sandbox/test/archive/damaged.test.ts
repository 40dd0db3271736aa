import { expect, it } from "vitest";
import { fc, tries } from "../../../test/support/property.ts";
import { archived } from "../../src/archive/write.ts";
import { servedContract } from "../../src/crm/contract.ts";
import { chatting } from "../spec/account.ts";

const PATH = "http://sandbox/sandbox/account.ndjson";

/** An account with a record of nearly every table, and what its pages ask for. */
async function furnished() {
  const own = await chatting();
  const { submit, say, switches, asUser, asAgent, crm, sandbox, world, chat } = own;
  await switches({ corporateOn: true });
  await say("hello");
  await submit("/api/v5/custom-fields/customer/create", {
    customField: { code: "size", name: "Size", type: "integer" },
  });
  const customer = {
    externalId: "ann",
    firstName: "Ann",
    phones: [{ number: "+356" }],
    customFields: { size: 4 },
    addTags: ["crew"],
  };
  const { id } = (await submit("/api/v5/customers/create", { customer })).body;
  await submit("/api/v5/customers/notes/create", { note: { text: "Late", customer: { id } } });
  const customerCorporate = {
    nickName: "Firm",
    addresses: [{ name: "Quay" }],
    companies: [{ name: "East" }],
    customerContacts: [{ customer: { id } }],
  };
  const firm = (await submit("/api/v5/customers-corporate/create", { customerCorporate })).body.id;
  const company = { externalId: "west", name: "West" };
  const order = {
    customer: { type: "customer_corporate", id: firm },
    company,
    items: [{ offer: { id: 102 } }],
    payments: [{ amount: 5 }],
  };
  const made = (await submit("/api/v5/orders/create", { order })).body;
  const task = { text: "Call", performerId: 1, customer: { id }, order: { id: made.id } };
  const { body } = await submit("/api/v5/tasks/create", { task });
  await asAgent("POST", `/tasks/${body.id}/comments`, { text: "Done" });
  await submit("/api/v5/delivery/shipments/create", {
    deliveryType: "parcel",
    deliveryShipment: { orders: [{ id: made.id }] },
  });
  await submit("/api/v5/files/upload", { file: "bytes" });
  const lists = servedContract().flatMap(([, { paths }]) =>
    Object.entries(paths).flatMap(([path, { get }]) => (get && !/\{|\/get$/.test(path) ? [path] : [])),
  );
  /** Faults of the sandbox in its lists and in what the inbox shows. */
  const broken = async (): Promise<unknown[]> => {
    const before = sandbox.calls.totals().faults;
    const answers = [];
    for (const path of lists) answers.push([path, (await crm("GET", path)).status]);
    for (const path of ["/chats", "/messages", "/customers", "/channels", "/members", "/dialogs", "/users", "/bots"])
      answers.push([path, (await asUser("GET", path)).status]);
    for (const path of [`/chats/${chat}/customer`, `/chats/${chat}/history`, "/orders", "/products"])
      answers.push([path, (await asAgent("GET", path)).status]);
    const count = sandbox.calls.totals().faults - before;
    const faults = count > 0 ? sandbox.calls.entries(true).slice(-count) : [];
    return [
      ...answers.filter(([, status]) => Number(status) >= 500),
      ...faults.map((each) => [each.path, each.faults]),
    ];
  };
  const load = async (text: string) => {
    const answer = await sandbox.fetch(new Request(PATH, { method: "PUT", body: text }), {});
    return { status: answer.status, errors: ((await answer.json()) as { errors?: string[] }).errors };
  };
  const saved = () => new Response(archived(world)).text();
  return { load, saved, broken };
}

type Branch = Record<string, unknown>;
const VALUES = [
  null,
  0,
  -1,
  7,
  1.5,
  "",
  "x",
  "2026-02-30",
  true,
  [],
  {},
  [null],
  [[]],
  { id: 7 },
  { id: "7" },
  [{ id: 7 }],
  [{}],
];

/** The value with one of its places replaced, or taken away. */
function damaged(value: unknown, at: number, given: unknown, drop: boolean): unknown {
  if (typeof value !== "object" || value === null) return given;
  const keys = Object.keys(value);
  const chosen = keys[at % (keys.length || 1)];
  if (chosen === undefined) return given;
  const own = (value as Branch)[chosen];
  const deeper = typeof own === "object" && own !== null && at % 3 > 0;
  const entries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (key !== chosen) return [[key, each]];
    if (deeper) return [[key, damaged(each, Math.floor(at / 3), given, drop)]];
    return drop ? [] : [[key, given]];
  });
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

it("a damaged archive is refused with its line and changes nothing, or is loaded and breaks no list", async () => {
  const { load, saved, broken } = await furnished();
  const good = await saved();
  const lines = good.trimEnd().split("\n");
  expect([await load(good), await broken()]).toEqual([{ status: 200, errors: undefined }, []]);
  const number = fc.nat({ max: 1_000_000 });
  const damage = fc.record({
    line: number,
    at: number,
    value: fc.constantFrom(...VALUES),
    how: fc.constantFrom("replace", "drop", "gone"),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ line, at, value, how }) => {
      const index = line % lines.length;
      const text = JSON.stringify(damaged(JSON.parse(lines[index] ?? ""), at, value, how === "drop"));
      const bad = lines.toSpliced(index, 1, ...(how === "gone" ? [] : [text]));
      const before = await saved();
      const { status, errors } = await load(`${bad.join("\n")}\n`);
      if (status === 400) {
        expect(errors).toEqual([expect.stringMatching(/^line \d+: \S+/)]);
        expect(await saved()).toBe(before);
      } else expect([text, status, await broken()]).toEqual([text, 200, []]);
    }),
    tries(100),
  );
});
