import { expect } from "vitest";
import type { Entry } from "../../src/crm/records.ts";
import { account } from "../spec/account.ts";

/** An account with a seeded shop. */
export async function seeded(seed = "small") {
  const own = account();
  await own.sandbox.seed(seed);
  const read = async (path: string): Promise<Entry> => {
    const { status, body } = await own.crm("GET", path);
    expect([path, status]).toEqual([path, 200]);
    return body;
  };
  const post = async (path: string, entities: Entry) => {
    const { status, body } = await own.submit(path, entities);
    expect([path, status, body]).toEqual([path, 200, expect.objectContaining({ success: true })]);
  };
  return { ...own, read, post };
}
export type Seeded = Awaited<ReturnType<typeof seeded>>;

export const entriesOf = ({ world }: Seeded, table: keyof Seeded["world"]["tables"]): Entry[] => [
  ...world.tables[table].rows.values(),
];
