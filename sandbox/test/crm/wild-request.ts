import { fc } from "../../../test/support/property.ts";
import type { CallData } from "../../src/conformance/crm/area.ts";
import type { CrmOperation } from "../../src/conformance/crm/operations.ts";

// Requests of a stranger's client, whose data are bent in any way: what is good of a call, with one thing made wild.

type Form = Record<string, unknown>;
/** A request as it goes over the wire. */
export interface Wild {
  method: string;
  address: string;
  body?: string | URLSearchParams;
  json?: boolean;
}

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < depth; n++) value = n % 2 ? [value] : { a: value };
  return value;
};

/** In place of any value. */
const VALUES: unknown[] = [
  ...[null, "", " ", [], {}, [[]], [{}], [null], true, false, 0, -1, 0.5, -0.1, 1e308, 2 ** 53, "1e9", "NaN", "-1"],
  ...["2026-02-30", "2026-02-30 25:61:61", "0000-00-00", "9999-12-31 23:59:59", "2026-13-01", "now"],
  ...["a/b", "../..", "%2F", "\u0000", "\ud83d\ude00", "\u202e", "é", "<b>", "'; --", "x".repeat(70_000)],
  ...["__proto__", "constructor", "toString", "customer_corporate", "sandbox-key"],
  ...[[1, "a", {}], { id: "x" }, { id: -1 }, { id: 5001 }, { externalId: "a/b" }, { code: [] }, { code: "__proto__" }],
  ...[nested(60), nested(800), Array.from({ length: 5_000 }, () => ({}))],
  JSON.parse('{"__proto__":{"id":1},"constructor":{"prototype":{"polluted":true}},"length":3}'),
];
/** Beside any field of an entity. */
const FIELDS = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "id", "site", "length", "0", ""];

type Change = (value: unknown) => unknown;
const isBranch = (value: unknown): value is Form => typeof value === "object" && value !== null;

/** The value with what stands at one of its places changed: `at` chooses the place. */
function changedAt(value: unknown, at: number, change: Change): unknown {
  if (!isBranch(value)) return change(value);
  const keys = Object.keys(value);
  if (keys.length === 0 || at % (keys.length + 1) === keys.length) return change(value);
  const chosen = keys[at % (keys.length + 1)] ?? "";
  const entries = keys.map((key) => [
    key,
    key === chosen ? changedAt(value[key], Math.floor(at / 7) + 1, change) : value[key],
  ]);
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** An own field, `__proto__` too. */
const withField = (field: string, given: unknown): Change => {
  return (value) =>
    isBranch(value) && !Array.isArray(value) ? Object.fromEntries([...Object.entries(value), [field, given]]) : given;
};

const formOf = (value: unknown): Form => (isBranch(value) ? value : {});
const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value ?? null));
const urlencoded = (form: Form) =>
  new URLSearchParams(Object.entries(form).map(([name, value]): [string, string] => [name, textOf(value)]));

function bracketed(name: string, value: unknown): [string, string][] {
  if (!isBranch(value)) return [[name, String(value ?? "")]];
  return Object.entries(value).flatMap(([key, each]) => bracketed(`${name}[${Array.isArray(value) ? "" : key}]`, each));
}

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;
const BODIES: (string | URLSearchParams)[] = [
  ...["", "{", "null", "[]", '"x"', "[".repeat(50_000), "%", "a=%E0%A4%A", "=&=&=", "[]=1", "[a]=1", "a[=1", "a]b=1"],
  ...[
    `order${"[a]".repeat(50_000)}=1`,
    "order[]=1&order[x]=2&order[0][]=3",
    `order=${"[".repeat(30_000)}${"]".repeat(30_000)}`,
    `customer=${'{"a":'.repeat(30_000)}1${"}".repeat(30_000)}`,
    "__proto__[polluted]=1",
    "order[items][]=1&".repeat(60_000),
    "customer[phones][][number]=1&".repeat(30_000),
  ],
];
const QUERIES: [string, string][] = [
  ...(["limit=-1", "limit=0", "limit=1e2", "limit=1000000000", "limit=20.5", "limit=0x14"] as const),
  ...(["page=0", "page=-1", "page=999999999999999", "page=1e3", "page=1.5"] as const),
  ...([
    "by=name",
    "by=",
    "by=__proto__",
    "by=id",
    "by=externalId",
    "entityBy=name",
    "site=other",
    "site=__proto__",
  ] as const),
  ...(["filter=1", "filter[]=1", "filter[a][b][c]=1", "filter[__proto__]=1", "filter[constructor][]=1"] as const),
  ...([
    "filter[ids]=1",
    "filter[ids][]=x",
    "filter[ids][][]=1",
    "filter[sinceId]=-1",
    "filter[sinceId]=99999999999",
  ] as const),
  ...(["filter[customFields][__proto__][min]=1", "filter[customFields][]=", "filter[customFields]=x"] as const),
  ...([
    "filter[createdAtFrom]=2026-02-30",
    "filter[dateFrom]=2026-02-30",
    "filter[startDate]=2026-02-30 00:00:00",
  ] as const),
  ...(["filter[properties][a][b]=1", "filter[properties][__proto__]=1", "filter[subscriptions][x]=1"] as const),
].map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]);
const NAMES = [
  "a%2Fb",
  "%00",
  "..",
  ".",
  "__proto__",
  "constructor",
  "%",
  "%F0%9F%98%80",
  "-1",
  "0",
  "1e3",
  "x".repeat(4_000),
  "%20",
];

/** One wild request of an operation. `good` is a call of it that succeeds. */
export function wildRequest(operation: CrmOperation, good: CallData & { address: string }): fc.Arbitrary<Wild> {
  const { method } = operation;
  const form = good.form ?? {};
  const sent = (changed: unknown) => ({ method, address: good.address, body: urlencoded(formOf(changed)) });
  const at = fc.nat({ max: 100_000 });
  const queried = at.map((n): Wild => {
    const url = new URL(good.address, "http://sandbox");
    const [name, value] = pick(QUERIES, n);
    url.searchParams.append(name, value);
    if (n % 3 === 0) url.searchParams.append(name, pick(QUERIES, Math.floor(n / 3))[1]);
    return { method, address: url.pathname + url.search, ...(method === "POST" && { body: urlencoded(form) }) };
  });
  const asked = fc
    .tuple(at, fc.constantFrom(...operation.inQuery.map(({ name }) => name), "page"))
    .map(([n, name]): Wild => {
      const url = new URL(good.address, "http://sandbox");
      url.searchParams.append(name, textOf(pick(VALUES.slice(0, 36), n)));
      return { method, address: url.pathname + url.search, ...(method === "POST" && { body: urlencoded(form) }) };
    });
  const named = at.map((n): Wild => {
    const [path = "", query = ""] = good.address.split("?");
    const parts = path.split("/");
    parts[3 + (n % Math.max(1, parts.length - 3))] = pick(NAMES, n);
    return { method, address: `${parts.join("/")}?${query}`, ...(method === "POST" && { body: urlencoded(form) }) };
  });
  if (method === "GET") return fc.oneof(queried, asked, named);
  const bent = fc.tuple(at, at).map(([n, v]) => sent(changedAt(form, n, () => pick(VALUES, v))));
  const extended = fc
    .tuple(at, at)
    .map(([n, v]) => sent(changedAt(form, n, withField(pick(FIELDS, v), pick(VALUES, Math.floor(v / 10))))));
  const many = at.map((n) =>
    sent(changedAt(form, n, (value) => Array.from({ length: n % 2 ? 51 : 1_000 }, () => value))),
  );
  const raw = fc.tuple(at, fc.boolean()).map(([n, json]): Wild => ({ ...sent(form), body: pick(BODIES, n), json }));
  const twice = at.map((n): Wild => {
    const body = urlencoded(form);
    for (const [name, value] of [...body]) body.append(name, n % 2 ? value : textOf(pick(VALUES, n)));
    return { ...sent(form), body };
  });
  const inBrackets = fc.tuple(at, at).map(([n, v]): Wild => {
    const changed = changedAt(form, n, () => pick(VALUES.slice(0, 40), v));
    return {
      ...sent(form),
      body: new URLSearchParams(Object.entries(formOf(changed)).flatMap(([name, each]) => bracketed(name, each))),
    };
  });
  const asJson = fc.tuple(at, at).map(
    ([n, v]): Wild => ({
      ...sent(form),
      json: true,
      body: JSON.stringify(changedAt(form, n, () => pick(VALUES, v))) ?? "",
    }),
  );
  return fc.oneof(
    { weight: 4, arbitrary: bent },
    { weight: 2, arbitrary: extended },
    many,
    raw,
    twice,
    inBrackets,
    asJson,
    named,
    queried,
  );
}
