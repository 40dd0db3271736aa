import { describe, expect, it } from "vitest";
import { FILTERS, type ListName } from "../../../sandbox/src/crm/filters.ts";
import { chatting } from "./account.ts";
import { documented, PATHS, queryOf } from "./crm-samples.ts";

const NAMES = Object.keys(PATHS) as ListName[];

async function shop() {
  const own = await chatting();
  const { crm } = own;
  const list = async (name: ListName, query: string) => {
    const { status, body } = await crm("GET", `${PATHS[name]}${query}`);
    const ids = ((body as Record<string, unknown>)[name] as { id: number }[] | undefined)?.map(({ id }) => id);
    return { status, ids, body: body as unknown as { errorMsg?: string; errors?: object; pagination?: object } };
  };
  return { ...own, list };
}
type Shop = Awaited<ReturnType<typeof shop>>;

/** Expected ids per filter, as `name=value` of the query. */
const SUPPORTED: Record<ListName, (shop: Shop) => Record<string, Record<string, number[]>>> = {
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
describe.each(NAMES)("the list of %s", (name) => {
  it("supports or refuses each documented filter, and ignores none", async () => {
    const own = await shop();
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
    const own = await shop();
    for (const cases of Object.values(SUPPORTED[name](own)))
      for (const [filter, ids] of Object.entries(cases))
        expect([filter, (await own.list(name, `?${encodeURI(written(filter))}`)).ids]).toEqual([filter, ids]);
    expect(own.sandbox.calls.entries(true)).toEqual([]);
  });

  it("refuses a value of the wrong kind, another list's filter, and invalid pages", async () => {
    const { list, sandbox } = await shop();
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
    const { list } = await shop();
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
  it("are all described", () => {
    expect(Object.keys(FILTERS).sort()).toEqual([...NAMES].sort());
  });
});
