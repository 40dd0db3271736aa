import { describe, expect, it } from "vitest";
import { servedContract } from "../../src/crm/contract.ts";
import type { Json } from "../../src/spec.ts";
import type { Account } from "./account.ts";

// What every list of the CRM promises, tried with each filter that the contract gives it.

type Asking = Pick<Account, "crm" | "faults">;
export interface ListCase<T extends Asking> {
  /** As the contract has it. */
  path: string;
  /** With its parameters filled in. */
  at?(own: T): string;
  /** The answer's field. */
  many: string;
  prepare(): Promise<T>;
  /** What each filter finds, by ids: `name]=value`, or `name][]=value`. Each filter of the contract is here or refused. */
  found(own: T): Record<string, readonly unknown[]>;
  /** Filters of the contract that the sandbox refuses: nothing tells it of what they look for. */
  refused?: readonly string[];
  /** The errors of a wrong value, by filter, where a recording has other ones. */
  recorded?: Record<string, Record<string, string>>;
}

const parametersOf = (path: string): Json[] =>
  servedContract().flatMap(([, { paths }]) => (paths[path]?.get?.parameters ?? []) as Json[]);
const filterIn = (text: string) => /^(?:filter\[)?(\w+)\]/.exec(text)?.[1] ?? "";

const isStrict = ({ type, enum: choices, pattern, items }: Json): boolean =>
  type === "integer" ||
  choices !== undefined ||
  pattern !== undefined ||
  (items !== undefined && isStrict(items as Json));

export function describeList<T extends Asking>(list: ListCase<T>): void {
  const { path, at = () => path, many, prepare, found, refused = [], recorded = {} } = list;
  const filters = parametersOf(path).filter(({ name }) => String(name).startsWith("filter["));
  const ask = async (own: T, query: string) => {
    const { status, body } = await own.crm("GET", `${at(own)}?${query}`);
    const entries = body[many] as { id: unknown }[] | undefined;
    return { status, ids: entries?.map(({ id }) => id), body };
  };

  describe(`the list ${path}`, () => {
    it("finds by each filter of the contract, and refuses those that it cannot know", async () => {
      const own = await prepare();
      const cases = Object.entries(found(own));
      for (const [query, ids] of cases)
        expect([query, (await ask(own, `filter[${encodeURI(query)}`)).ids]).toEqual([query, ids]);
      expect(own.faults()).toEqual([]);
      for (const filter of refused)
        expect([filter, (await ask(own, `filter[${filter}][]=1`)).status]).toEqual([filter, 400]);
      const tried = new Set([...cases.map(([query]) => filterIn(query)), ...refused]);
      expect([...tried].sort()).toEqual([...new Set(filters.map(({ name }) => filterIn(String(name))))].sort());
    });

    it("refuses values of the wrong kind, another list's filters and invalid pages", async () => {
      const own = await prepare();
      const strict = filters.filter(({ schema }) => isStrict(schema as Json));
      const wrong = strict.map(({ name }): [string, string] => [filterIn(String(name)), `${name}=%3F`]);
      wrong.push(["weather", "filter[weather]=fine"], ["weather", "filter[weather][]=fine"]);
      wrong.push(["limit", "limit=30"], ["limit", "limit=many"], ["page", "page=0"], ["page", "page=x"]);
      for (const [child, query] of wrong) {
        const { status, body } = await ask(own, query);
        const errors = recorded[child] ?? { [`children[${child}]`]: "This value is not valid." };
        expect([query, status, body]).toEqual([
          query,
          400,
          { success: false, errorMsg: "Errors in the input parameters", errors },
        ]);
      }
    });

    it("has pages; an empty value counts as absent", async () => {
      const own = await prepare();
      const { ids = [], body } = await ask(own, "limit=50&page=");
      expect(ids.length).toBeGreaterThan(0);
      expect(body.pagination).toEqual({ limit: 50, totalCount: ids.length, currentPage: 1, totalPageCount: 1 });
      expect((await ask(own, "page=2")).ids).toEqual([]);
    });
  });
}
