import type { Listed } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import vk from "../../src/index.ts";
import { beside, fresh } from "../talking.ts";

type Beside = Pick<Awaited<ReturnType<typeof beside>>, "session" | "commit">;

/** All pages, whose notes are stored. */
async function pagesOf({ session, commit }: Beside, since = 0): Promise<Listed[]> {
  const pages: Listed[] = [];
  for (let after: string | undefined; ; ) {
    const page = await session.list?.(since, after, fresh());
    if (!page) throw new Error("there is no list");
    await commit(page);
    pages.push(page);
    after = page.next;
    if (after === undefined) return pages;
    if (pages.length > 50) throw new Error("the list does not end");
  }
}
const textsIn = (pages: Listed[]) =>
  pages.flatMap(({ events }) =>
    events.flatMap((each) => (each.type === "message" && each.content.type === "text" ? each.content.text : [])),
  );

describe("a page of the list", () => {
  it("asks for its people once, however many messages they have, and names them in each", async () => {
    const all = await beside();
    const { emulator } = all;
    emulator.addPerson("Third");
    for (const person of [1, 2, 3])
      for (let n = 0; n < 100; n++) await emulator.customers.says(emulator.chat(person), { text: `${person} ${n}` });
    emulator.core.switches.set({ callsPerSecond: 20 });
    const pages = await pagesOf(all);
    expect(textsIn(pages)).toHaveLength(300);
    const asked = emulator.core.journal.entries().filter(({ operation }) => operation === "users.get");
    expect(asked).toHaveLength(1);
    const names = pages.flatMap(({ events }) =>
      events.flatMap((each) => (each.type === "message" ? (each.customer?.nickname ?? "") : [])),
    );
    expect(names).toHaveLength(300);
    expect(new Set(names).size).toBe(3);
    expect(names.filter((name) => name.startsWith("VK "))).toEqual([]);
  });

  it("ends with its time, also while people are asked for", async () => {
    const { context, emulator, session } = await beside();
    await emulator.customers.says(emulator.chat(), { text: "hello" });
    const { call } = context;
    const page = new AbortController();
    const slow: typeof call = async (request) => {
      if (!request.url.endsWith("/users.get")) return call(request);
      page.abort();
      expect(request.signal?.aborted).toBe(true);
      return { type: "failure", sent: "perhaps", reason: "aborted", detail: "" };
    };
    Object.assign(context, { call: slow });
    const own = vk.open(context);
    const first = await session.list?.(0, undefined, fresh());
    await expect(own.list?.(0, first?.next, page.signal)).rejects.toThrow();
  });
});
