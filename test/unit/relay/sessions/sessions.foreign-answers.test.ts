import { type Answer, type Call, expectSize } from "gangway-messenger/call";
import { type Clock, systemClock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { Content } from "gangway-messenger/message";
import type { ChannelSession } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createGateway } from "../../../../src/gateway/client.ts";
import { createPermits } from "../../../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../../../src/gateway/sending.ts";
import { uploadFiles } from "../../../../src/relay/deliver/uploads.ts";
import { createForeignAnswers, WHOLE } from "../../../../src/relay/sessions/sessions.ts";
import { handClock } from "../../../support/clock.ts";
import { customerSays } from "../../../support/events.ts";
import { recordingGateway } from "../../../support/gateway.ts";
import { relayLives } from "../../../support/lives.ts";
import { bottles } from "../../../system/contract/toy/bottles.ts";

const MINUTE = 60_000;
const PAGE: Answer = {
  type: "answer",
  status: 413,
  headers: { "content-type": "text/html" },
  bytes: new TextEncoder().encode("<html><h1>413 Request Entity Too Large</h1></html>"),
};

/** A gateway behind a proxy that answers with its own page while `page` says so. */
async function behindProxy(page: (body: string, now: number) => boolean) {
  const gateway = recordingGateway();
  const call = (clock: Clock): Call => {
    const inner = gateway.call(clock);
    return async (request) => (page(String(request.body), clock.now()) ? PAGE : inner(request));
  };
  const lives = await relayLives({ adapter: bottles, call });
  await lives.begin();
  let said = 0;
  /** Minute by minute, each with another person's message. */
  const minutes = async (count: number) => {
    for (let n = 0; n < count; n++) {
      said += 1;
      const { channel, store, wake, clock } = lives;
      await store().outbox.acceptInbound(channel, { events: [customerSays(`other${said}`, "", `other${said}`)] });
      wake();
      await clock.forward(MINUTE);
    }
  };
  const say = async (id: string, chat: string) => {
    await lives.store().outbox.acceptInbound(lives.channel, { events: [customerSays(id, id, chat)] });
    lives.wake();
  };
  const dead = () => lives.store().outbox.ended(lives.account.id, 99);
  return { ...lives, gateway, minutes, say, dead };
}

describe("a proxy's page that keeps answering one message", () => {
  it("ends that message with the reason while others pass; its chat goes on", async () => {
    const { gateway, minutes, say, dead } = await behindProxy((body) => body.includes('"large"'));
    await say("large", "chat");
    await say("next", "chat");
    await minutes(9);
    expect(await dead()).toEqual([]);
    await minutes(25);
    expect(await dead()).toMatchObject([{ state: "dead", error: expect.stringContaining("status 413, text/html") }]);
    expect(gateway.taken.map(({ externalId }) => externalId)).toContain("next");
  });

  it("ends nothing while nothing else passes", async () => {
    let out = true;
    const { gateway, minutes, say, dead, clock } = await behindProxy(() => out);
    await say("m1", "chat");
    await minutes(20);
    expect(await dead()).toEqual([]);
    out = false;
    await clock.forward(15 * MINUTE);
    expect(await dead()).toEqual([]);
    expect(gateway.taken).toHaveLength(21);
  });
});

describe("a file for which something else keeps answering", () => {
  const content: Content = {
    type: "file",
    files: [{ file: { at: "messenger", ref: "r" }, name: "a.zip", size: 5 }],
    note: "look",
  };
  const stream = (text: string) => new Blob([text]).stream() as ReadableStream<Uint8Array>;
  const fails: [string, Call, () => ReadableStream<Uint8Array>][] = [
    ["the gateway's proxy finds it too large", async () => PAGE, () => stream("bytes")],
    ["it never has the announced size", async (request) => read(request), () => expectSize(stream("half"), 5)],
  ];
  it.each(fails)(
    "becomes a line, and the text arrives, once others have passed for ten minutes: %s",
    async (_, call, body) => {
      const clock = handClock();
      const foreignAnswers = createForeignAnswers(clock);
      const job = (id: number) => ({ key: String(id), accountId: "a" as AccountId }) as Job;
      const access = { url: () => "https://gateway.example", token: () => "t", renew: async () => undefined };
      const gateway = createGateway({
        call,
        clock: systemClock,
        permits: createPermits(systemClock),
        account: "one",
        isDone: emptyAnswers(),
        access,
      });
      const session = { files: { open: async () => ({ body: body(), mediaType: "application/zip" }) } };
      const sides = {
        ...{ clock: systemClock, lineAt: Date.now() + MINUTE, leftOut: [] },
        ...{ session: session as unknown as ChannelSession, gateway, language: "en" as const },
        watch: <T>(part: string, act: () => Promise<T>) => foreignAnswers.watch(job(1), part, act),
      };
      const upload = () =>
        uploadFiles(sides, content, new AbortController().signal).catch((error: DeliveryError) => error.verdict.type);
      for (let minute = 0; minute < 10; minute++) {
        expect(await upload()).toBe("retry");
        await foreignAnswers.watch(job(2), WHOLE, async () => {});
        await clock.forward(MINUTE);
      }
      expect(await upload()).toMatchObject({
        content: { type: "text", text: expect.stringContaining("look\n[a.zip") },
      });
    },
  );
});

describe("parts of a message", () => {
  const stray = () =>
    Promise.reject(Object.assign(new DeliveryError({ type: "retry" }, "a page"), { foreignStatus: 413 }));
  const job = (id: number) => ({ key: String(id), accountId: "a" as AccountId }) as Job;

  /** Every minute the first message is tried with its files, and another one passes. */
  async function tried(minutes: number, files: number, posts: (minute: number) => Promise<void>) {
    const clock = handClock();
    const foreignAnswers = createForeignAnswers(clock);
    const outcomes: string[] = [];
    const carry = (minute: number) => async () => {
      for (let n = 0; n < files; n++)
        await foreignAnswers.watch(job(1), `file ${n}`, stray).catch((error: DeliveryError) => {
          if (error.verdict.type !== "reject") throw error;
        });
      await posts(minute);
    };
    for (let minute = 0; minute < minutes && outcomes.at(-1) !== "passed"; minute++) {
      await foreignAnswers.watch(job(1), WHOLE, carry(minute)).then(
        () => outcomes.push("passed"),
        (error: DeliveryError) => outcomes.push(error.verdict.type),
      );
      await foreignAnswers.watch(job(2), WHOLE, async () => {});
      await clock.forward(MINUTE);
    }
    return outcomes;
  }

  it("that a proxy keeps refusing end that part, not the message", async () => {
    const outcomes = await tried(60, 2, async () => {});
    expect(outcomes).not.toContain("reject");
    expect(outcomes.at(-1)).toBe("passed");
  });

  it("stay refused while the message is retried for another reason", async () => {
    const down = async (minute: number) => {
      if (minute < 15) throw new DeliveryError({ type: "retry" }, "the gateway is down");
    };
    const outcomes = await tried(30, 1, down);
    expect(outcomes).not.toContain("reject");
    expect(outcomes).toHaveLength(16);
  });
});

/** Like the real call: a body that breaks off is not sent whole. */
async function read({ body }: Parameters<Call>[0]): ReturnType<Call> {
  if (typeof body !== "object" || !("files" in body)) throw new Error("no form");
  try {
    for (const { bytes } of body.files) await new Response(bytes as ReadableStream<Uint8Array>).arrayBuffer();
  } catch {
    return { type: "failure", sent: "no", reason: "source", detail: "the file could not be read" };
  }
  return { ...PAGE, status: 200, bytes: new TextEncoder().encode('{"id":"at-the-gateway"}') };
}
