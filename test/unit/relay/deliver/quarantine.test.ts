import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createPermits } from "../../../../src/gateway/limiter.ts";
import { createQuarantine, type WaitOutside, waitingOutside } from "../../../../src/relay/deliver/quarantine.ts";
import type { Outside } from "../../../../src/relay/sessions/sessions.ts";
import { customerSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { oneChannel, takeLease } from "../../../support/store.ts";
import { turns } from "../../../support/turns.ts";
import { until } from "../../../support/until.ts";

const NEVER = new Promise<never>(() => {});

/** Suspects under way, one per chat; `fatal`: what a crash now would count for each. */
async function suspects(count: number) {
  const { clock, store, account, channel } = await oneChannel();
  const { outbox } = store;
  const names = Array.from({ length: count }, (_, n) => `m${n}`);
  await outbox.acceptInbound(channel, { events: names.map((name) => customerSays(name, name, `chat-${name}`)) });
  const jobs = await outbox.claim(await takeLease(store, account.id, "one"), roomFor(count));
  const fatal = async () => {
    const left = await outbox.takeOver(await takeLease(store, account.id, "next"));
    return left.sort((a, b) => a.id - b.id).map(({ fatalCrashes }) => fatalCrashes);
  };
  return { clock, outbox, jobs: jobs.sort((a, b) => a.id - b.id), fatal, quarantine: createQuarantine(outbox) };
}

describe("a suspect", () => {
  it("is marked while our own code runs on it without waiting for others", async () => {
    const { quarantine, jobs, fatal } = await suspects(1);
    let running = false;
    const act = async (waitOutside: WaitOutside) => {
      await waitOutside(async () => {});
      running = true;
      await NEVER;
    };
    void quarantine.run(jobs[0] as Job, act);
    await until("our code", () => running);
    expect(await fatal()).toEqual([1]);
  });

  const quick = { type: "failure", sent: "no", reason: "refused", detail: "down" } as const;
  const outside: Outside = {
    call: ({ url }) => (url.endsWith("quick") ? Promise.resolve(quick) : NEVER),
    permits: { ...createPermits({ now: () => 0, monotonic: () => 0, after: () => () => {} }), run: () => NEVER },
    renewToken: () => NEVER,
  };
  const to = (path: string) => ({ method: "GET", url: `https://gateway.example/${path}`, timeoutMs: 1 }) as const;
  const waits: [string, (way: Outside) => Promise<unknown>][] = [
    ["an answer", ({ call }) => call(to("slow"))],
    ["a permit", ({ permits }) => permits.run("token", "message", async () => {})],
    ["another token", ({ renewToken }) => renewToken("1" as AccountId, "dead")],
    ["two answers, of which one has come", ({ call }) => Promise.all([call(to("quick")), call(to("slow"))])],
  ];
  it.each(waits)("is not marked while it waits for %s", async (_, wait) => {
    const { quarantine, jobs, fatal } = await suspects(1);
    let waiting = false;
    const act = async (waitOutside: WaitOutside) => {
      const seen: WaitOutside = (waits) =>
        waitOutside(() => {
          waiting = true;
          return waits();
        });
      await wait(waitingOutside(outside, seen));
    };
    void quarantine.run(jobs[0] as Job, act);
    await until("the wait", () => waiting);
    await turns();
    expect(await fatal()).toEqual([0]);
  });

  it("waits unmarked for the mutex while our code runs on another, and gets it while that one waits", async () => {
    const { quarantine, jobs, outbox, fatal } = await suspects(2);
    const [first, second] = jobs as [Job, Job];
    const seen: string[] = [];
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let goOn = () => {};
    const slow = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const one = quarantine.run(first, async (waitOutside) => {
      seen.push("first");
      await slow;
      await waitOutside(() => answered);
      seen.push("first again");
      await outbox.done(first, {});
    });
    void quarantine.run(second, async () => {
      seen.push("second");
      answer();
      await NEVER;
    });
    await until("the first", () => seen.length === 1);
    await turns();
    expect(seen).toEqual(["first"]);
    goOn();
    await until("the second", () => seen.length === 2);
    await Promise.race([one, turns()]);
    // Our code runs on the second; the first has its answer and waits for the mutex.
    expect(seen).toEqual(["first", "second"]);
    expect(await fatal()).toEqual([0, 1]);
  });

  it("runs unmarked if the mark cannot be written", async () => {
    const { quarantine: _, jobs } = await suspects(1);
    const full = { inOwnCode: () => Promise.reject(new Error("the disk is full")) };
    let ran = false;
    await createQuarantine(full).run(jobs[0] as Job, async () => {
      ran = true;
    });
    expect(ran).toBe(true);
  });

  it("is released by a process that has lost its account", async () => {
    const { quarantine, jobs, fatal } = await suspects(1);
    await fatal();
    let ran = false;
    await quarantine.run(jobs[0] as Job, async () => {
      ran = true;
    });
    expect(ran).toBe(false);
  });

  it("blocks no other suspect if its mark cannot be cleared", async () => {
    const { jobs } = await suspects(2);
    let full = false;
    const disk = { inOwnCode: () => (full ? Promise.reject(new Error("the disk is full")) : Promise.resolve(true)) };
    const quarantine = createQuarantine(disk);
    const fails = quarantine.run(jobs[0] as Job, async (waitOutside) => {
      full = true;
      await waitOutside(async () => {}).finally(() => {
        full = false;
      });
    });
    await expect(fails).rejects.toMatchObject({ verdict: { type: "retry" } });
    let ran = false;
    await quarantine.run(jobs[1] as Job, async () => {
      ran = true;
    });
    expect(ran).toBe(true);
  });

  it("holds up no other by what goes on after its end", async () => {
    const { quarantine, jobs } = await suspects(2);
    const late = Promise.withResolvers<void>();
    let abandoned: Promise<unknown> | undefined;
    await quarantine.run(jobs[0] as Job, async (waitOutside) => {
      abandoned = waitOutside(() => late.promise);
      await turns();
    });
    late.resolve();
    await abandoned;
    let ran = false;
    await quarantine.run(jobs[1] as Job, async () => {
      ran = true;
    });
    expect(ran).toBe(true);
  });

  it("is not marked while it waits for the bytes of an answer, and is again once it has them", async () => {
    const { jobs } = await suspects(1);
    const marks: boolean[] = [];
    const watching = { inOwnCode: async (_: Job, runs: boolean) => Boolean(marks.push(runs)) };
    let drip: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        drip = controller;
      },
    });
    const call = async () => ({ type: "answer" as const, status: 200, headers: {}, bytes: new Uint8Array(), stream });
    const seen: boolean[] = [];
    const own = createQuarantine(watching);
    const run = own.run(jobs[0] as Job, async (waitOutside) => {
      const answer = await waitingOutside({ ...outside, call }, waitOutside).call(to("file"));
      const bytes = new Response((answer as { stream: ReadableStream<Uint8Array> }).stream).arrayBuffer();
      await until("the wait", () => marks.at(-1) === false);
      seen.push(marks.at(-1) as boolean);
      drip?.enqueue(new TextEncoder().encode("half"));
      await turns();
      seen.push(marks.at(-1) as boolean);
      drip?.close();
      expect((await bytes).byteLength).toBe(4);
      await until("our code", () => marks.at(-1) === true);
    });
    await run;
    expect(seen).toEqual([false, false]);
  });
});
