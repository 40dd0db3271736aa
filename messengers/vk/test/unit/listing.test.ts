import type { Listed } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { echoOf } from "../../emulator/methods/sending.ts";
import { addMessage } from "../../emulator/world.ts";
import vk from "../../src/index.ts";
import { beside, fresh, talking } from "../talking.ts";

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

describe("a message of the community's with neither a random_id nor a name of staff", () => {
  it("is left to the list, which knows what the channel has sent", async () => {
    const all = await talking();
    const { context, emulator, chat, send, after } = all;
    await send({ text: "from the channel" });
    const about = { from: "community" as const, text: "from a program", at: context.clock.now() };
    emulator.core.switches.set({ echoNames: false });
    expect(await after(() => echoOf(emulator.core, chat, addMessage(chat, about)))).toEqual([]);
    const { call } = context;
    const nameless: typeof call = async (request) => {
      const answer = await call(request);
      if (answer.type === "failure" || !request.url.endsWith("/messages.getHistory")) return answer;
      const text = new TextDecoder().decode(answer.bytes).replaceAll('"random_id":0', '"unknown":0');
      return { ...answer, bytes: new TextEncoder().encode(text) };
    };
    Object.assign(context, { call: nameless });
    expect(textsIn(await pagesOf({ ...all, session: vk.open(context) }))).toEqual(["hello", "from a program"]);
  });
});

describe("a chat whose history VK does not give", () => {
  const HISTORY = "/messages.getHistory";
  /** Three chats, of which the second one's history fails so often. */
  async function scene(code: number, times: number) {
    const all = await beside();
    const { context, emulator } = all;
    emulator.addPerson("Third");
    for (const person of [1, 2, 3]) await emulator.customers.says(emulator.chat(person), { text: `from ${person}` });
    const { call } = context;
    const bad = `peer_id=${emulator.chat(2).person.id}&`;
    let left = times;
    const failing: typeof call = async (request) => {
      if (request.url.endsWith(HISTORY) && String(request.body).includes(bad) && left-- > 0)
        emulator.core.faults.plan({ operation: "messages.getHistory", code });
      return call(request);
    };
    Object.assign(context, { call: failing });
    return { ...all, session: vk.open(context) };
  }
  const untilOf = (pages: Listed[]) => pages.flatMap(({ completeFrom }) => completeFrom ?? []);

  it.each([936, 927])("is left out where that is refused (%i), which is said", async (code) => {
    const all = await scene(code, 9);
    const pages = await pagesOf(all);
    expect(textsIn(pages).sort()).toEqual(["from 1", "from 3"]);
    expect(untilOf(pages)).toEqual([all.context.clock.now()]);
  });

  it("is asked for once more after the others, and left out when it fails again", async () => {
    const once = await pagesOf(await scene(10, 1));
    expect(textsIn(once)).toEqual(["from 3", "from 1", "from 2"]);
    expect(untilOf(once)).toEqual([]);
    const ever = await pagesOf(await scene(10, 9));
    expect(textsIn(ever)).toEqual(["from 3", "from 1"]);
    expect(untilOf(ever)).toHaveLength(1);
  });

  it("is none where the failure says nothing of it: the list waits", async () => {
    const flooded = await scene(9, 9);
    await expect(pagesOf(flooded)).rejects.toMatchObject({ verdict: { type: "retry", afterMs: 60_000 } });
    const down = await scene(10, 9);
    const pages = pagesOf({
      ...down,
      async commit(page) {
        await down.commit(page);
        down.emulator.core.faults.plan({ operation: "*", status: 502, body: "html", times: 99 });
      },
    });
    await expect(pages).rejects.toMatchObject({ verdict: { type: "retry" } });
  });
});
