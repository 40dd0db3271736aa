import type { Call, CallResult } from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import { DeliveryError, type Verdict } from "gangway-messenger/errors";
import type { Features } from "gangway-messenger/features";
import type { ChatId, CustomerId, GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import { callFrom } from "gangway-messenger/kit/call";
import type { Template } from "gangway-messenger/template";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { contractJudge } from "../../../sandbox/src/judge.ts";
import type { GatewayChannelId, GatewayMessageId } from "../../../src/domain/ids.ts";
import { createGateway } from "../../../src/gateway/client.ts";
import { createPermits, type Permits } from "../../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../../src/gateway/sending.ts";
import { customerSays } from "../../support/events.ts";
import { strictJudge } from "./strict.ts";

const signal = new AbortController().signal;
const channel = "9007199254740993" as GatewayChannelId;
const hello = customerSays("m1", "hello") as Extract<ReturnType<typeof customerSays>, { type: "message" }>;
const readUntil = {
  ...{ type: "read-until" as const, key: "r", messengerMessageId: "w" as MessengerMessageId },
  ...{ chat: "c".repeat(100) as ChatId, customer: "u".repeat(100) as CustomerId, at: Date.UTC(2026, 4, 1) },
};
const judge = contractJudge();
const strict = strictJudge("transport-api");

function gatewayOn(
  call: Call,
  renew: (dead: string) => Promise<string | undefined> = async () => undefined,
  permits = createPermits(systemClock),
) {
  let token = "old";
  const access = {
    url: () => "https://gateway.example/api/transport/v1",
    token: () => token,
    renew: async (dead: string) => {
      token = (await renew(dead)) ?? token;
      return token === dead ? undefined : token;
    },
  };
  return createGateway({
    call,
    clock: systemClock,
    permits,
    account: "one",
    isDone: emptyAnswers(),
    access,
  });
}
const answering =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Call =>
  async () => ({
    type: "answer",
    status,
    headers,
    bytes: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
  });
const verdictOf = async (act: Promise<unknown>): Promise<Verdict | "ok"> =>
  act.then(
    () => "ok" as const,
    (error: unknown) => (error instanceof DeliveryError ? error.verdict : Promise.reject(error)),
  );
const send = (call: Call, permits?: Permits) =>
  verdictOf(gatewayOn(call, undefined, permits).sendMessage(channel, { event: hello, files: [] }, signal));
const failing =
  (failure: Partial<Extract<CallResult, { type: "failure" }>>): Call =>
  async () => ({
    type: "failure",
    sent: "perhaps",
    reason: "timeout",
    detail: "gateway.example",
    ...failure,
  });

describe("a failure at the gateway becomes a verdict", () => {
  it.each<[string, Call, Verdict | "ok"]>([
    ["an accepted message", answering(200, { message_id: 5, time: "2026-01-01T00:00:00Z" }), "ok"],
    ["201", answering(201, { message_id: 5, time: "2026-01-01T00:00:00Z" }), "ok"],
    ["a repeated external_id", answering(400, { errors: ["Message with passed external_id already exists"] }), "ok"],
    ["the same in capitals", answering(400, { errors: ["MESSAGE WITH PASSED EXTERNAL_ID ALREADY EXISTS"] }), "ok"],
    ["429", answering(429, { errors: ["x"] }), { type: "retry", afterMs: 1000 }],
    [
      "429 with Retry-After",
      answering(429, { errors: ["x"] }, { "retry-after": "7" }),
      { type: "retry", afterMs: 7000 },
    ],
    ["a page with 429", answering(429, "<html>"), { type: "retry", afterMs: 1000 }],
    ...[429, 503].map((status): [string, Call, Verdict] => [
      `a page with ${status} that asks for an hour`,
      answering(status, "<html>", { "retry-after": "3600" }),
      { type: "retry", afterMs: 5000 },
    ]),
    [
      "503 that asks for a minute",
      answering(503, { errors: ["x"] }, { "retry-after": "60" }),
      { type: "retry", afterMs: 60_000 },
    ],
    ["500 with an empty body", answering(500, ""), { type: "retry" }],
    ["502 as HTML", answering(502, "<html>"), { type: "retry" }],
    ["503 with Retry-After", answering(503, "", { "retry-after": "3" }), { type: "retry", afterMs: 3000 }],
    ["401", answering(401, { errors: ["Unauthorized"] }), { type: "reconnect" }],
    [
      "another 400",
      answering(400, { errors: ["Channel not found"] }),
      { type: "reject", code: "general", externalCode: "400" },
    ],
    [
      "a 400 that names an external_id again and again",
      answering(400, { errors: ["external_id ".repeat(300_000)] }),
      { type: "reject", code: "general", externalCode: "400" },
    ],
    ["a success that is not as agreed", answering(200, "<html>"), { type: "unsure" }],
    ["a timeout", failing({}), { type: "unsure" }],
    ["a refused connection", failing({ sent: "no", reason: "refused" }), { type: "retry" }],
    [
      "a file larger than it was said to be",
      failing({ sent: "no", reason: "source-too-large" }),
      { type: "reject", code: "general" },
    ],
    ["a forbidden address", failing({ sent: "no", reason: "blocked" }), { type: "reject", code: "general" }],
  ])("%s", async (_, call, verdict) => {
    expect(await send(call)).toEqual(verdict);
  });

  it("and its text has no control characters and at most 300 characters", async () => {
    const call = answering(422, { errors: [`bad\n\u0000${"x".repeat(1000)}`] });
    const error = await gatewayOn(call)
      .sendMessage(channel, { event: hello, files: [] }, signal)
      .catch((e: Error) => e);
    expect((error as Error).message).toMatch(/^gateway answered 422: bad x{290,300}$/);
  });
});

describe("a dead token", () => {
  it("is renewed once for all refused requests, which then succeed", async () => {
    let renewals = 0;
    const app = new Hono().all("*", (c) =>
      c.req.header("x-transport-token") === "new"
        ? c.json({ message_id: 5, time: "t" })
        : c.json({ errors: ["no"] }, 401),
    );
    const gateway = gatewayOn(callFrom(app), async () => {
      renewals += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return "new";
    });
    await Promise.all(
      Array.from({ length: 5 }, () => gateway.sendMessage(channel, { event: hello, files: [] }, signal)),
    );
    expect(renewals).toBe(1);
  });

  it("is probed by one call at a time: no probe follows a refused probe", async () => {
    const asked: string[] = [];
    const call: Call = (request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname}`);
      return answering(401, { errors: ["Unauthorized"] })(request);
    };
    expect(await verdictOf(gatewayOn(call).check(signal))).toMatchObject({ type: "reconnect" });
    expect(asked).toHaveLength(1);
  });

  it("is not renewed again by a request that started before the renewal", async () => {
    let renewals = 0;
    let release = () => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = new Hono().all("*", async (c) => {
      if (c.req.header("x-transport-token") === "new") return c.json({ message_id: 5, time: "t" });
      if (c.req.path.endsWith("/read")) await late;
      return c.json({ errors: ["no"] }, 401);
    });
    const gateway = gatewayOn(callFrom(app), async () => {
      renewals += 1;
      return "new";
    });
    const slow = gateway.markRead(channel, { messengerMessageId: hello.messengerMessageId }, signal);
    await gateway.sendMessage(channel, { event: hello, files: [] }, signal);
    release();
    await slow;
    expect(renewals).toBe(1);
  });

  it("stops the lanes when the CRM has no other", async () => {
    expect(await send(answering(403, { errors: ["no"] }))).toEqual({ type: "reconnect" });
  });

  it.each([401, 403])(
    "is not dead when one call is refused with %i and the next is not: that call is tried again",
    async (status) => {
      const asked: string[] = [];
      const app = new Hono()
        .get("*", (c) => c.json(asked.push("probe") > 0 ? [] : []))
        .post("*", (c) => {
          asked.push("message");
          return asked.length === 1 ? c.json({ errors: ["no"] }, status as 401) : c.json({ message_id: 5, time: "t" });
        });
      const renew = () => Promise.reject(new Error("the CRM was asked"));
      const gateway = gatewayOn(callFrom(app), renew);
      const post = () => verdictOf(gateway.sendMessage(channel, { event: hello, files: [] }, signal));
      expect(await post()).toEqual({ type: "retry" });
      expect(await post()).toBe("ok");
      expect(asked).toEqual(["message", "probe", "message"]);
    },
  );

  it("is probed once for all concurrently refused requests", async () => {
    let probes = 0;
    const app = new Hono()
      .get("*", async (c) => {
        probes += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return c.json([]);
      })
      .post("*", (c) => c.json({ errors: ["no"] }, 403));
    const gateway = gatewayOn(callFrom(app));
    const all = Array.from({ length: 5 }, () => gateway.sendMessage(channel, { event: hello, files: [] }, signal));
    expect(await Promise.all(all.map(verdictOf))).toEqual(all.map(() => ({ type: "retry" })));
    expect(probes).toBe(1);
  });
});

describe("an answer that is not the gateway's own", () => {
  const REFUSED = { errors: ["no"] };
  const pages: [string, string, string?][] = [
    ["a page", "<html><body><h1>nginx</h1></body></html>", "text/html"],
    ["a page that says JSON", "<html>", "application/json"],
    ["nothing", ""],
    ["another JSON", JSON.stringify({ message: "no Route matched with those values" }), "application/json"],
    ["an empty list of errors", JSON.stringify({ errors: [] }), "application/json"],
    ["errors of another shape", JSON.stringify({ errors: { name: "is wrong" } }), "application/json"],
    ["half of its own", JSON.stringify(REFUSED).slice(0, -3), "application/json"],
    ["half of its own success", '{"message_id":5,"ti', "application/json"],
    ["bytes", "\u0000\u0001\ufffd\u0007", "application/octet-stream"],
  ];
  const statuses = [200, 201, 204, 301, 302, 307, 400, 401, 403, 404, 405, 409, 413, 422, 500, 502, 503, 504];
  const at = { chat: "c" as ChatId, messengerMessageId: "m1" as MessengerMessageId, key: "k", at: 0 };
  const file = { mediaType: "text/plain", body: new Blob(["x"]).stream() as ReadableStream<Uint8Array> };
  const quoting = { ...hello, quote: "q" as MessengerMessageId };
  type Gateway = ReturnType<typeof gatewayOn>;
  const telling: [string, (gateway: Gateway) => Promise<unknown>][] = [
    ["a message", (g) => g.sendMessage(channel, { event: hello, files: [] }, signal)],
    ["a message with a quote", (g) => g.sendMessage(channel, { event: quoting, files: [] }, signal)],
    ["a file", (g) => g.uploadFile(file, signal)],
    ["a file's address", (g) => g.file("f" as GatewayFileId, signal)],
    ["a token's trial", (g) => g.check(signal)],
    ["a read mark up to a time", (g) => g.markReadUntil(channel, readUntil, signal)],
  ];
  const silent: [string, (gateway: Gateway) => Promise<unknown>][] = [
    ["an edit", (g) => g.editMessage(channel, { ...at, type: "edited", text: "x" }, signal)],
    ["a deletion", (g) => g.deleteMessage(channel, at, signal)],
    ["a read mark", (g) => g.markRead(channel, at, signal)],
    ["a reaction", (g) => g.setReaction(channel, { ...at, type: "reaction", reaction: "x" }, signal)],
    ["a reaction taken back", (g) => g.setReaction(channel, { ...at, type: "reaction", reaction: null }, signal)],
    ["an ack", (g) => g.ack(channel, { gatewayMessageId: "7" as GatewayMessageId }, signal)],
    ["a removed channel", (g) => g.deactivateChannel(channel, signal)],
  ];
  const weather = ["retry", "unsure"];

  it.each([...telling, ...silent])("neither refuses nor acknowledges %s, whatever its status", async (_, act) => {
    for (const [what, body, type = "text/plain"] of pages)
      for (const status of statuses) {
        // Undocumented: the gateway's "done" may be an empty object or an empty body.
        const sayNothing = /nothing/.test(what) ? status === 200 : !/page|half|bytes/.test(what);
        const perhapsDone = status < 300 && silent.some(([, each]) => each === act) && sayNothing;
        if (perhapsDone) continue;
        const verdict = await verdictOf(act(gatewayOn(answering(status, body, { "content-type": type }))));
        expect(weather, `${status} with ${what}`).toContain(verdict === "ok" ? "ok" : verdict.type);
      }
  });

  it.each(silent)("counts as done for %s only as an object, or when no object was ever seen", async (_, act) => {
    let body: unknown = "";
    const gateway = gatewayOn((request) => answering(200, body)(request));
    expect(await verdictOf(act(gateway))).toBe("ok");
    body = {};
    expect(await verdictOf(act(gateway))).toBe("ok");
    body = "";
    expect(await verdictOf(act(gateway))).toEqual({ type: "unsure" });
    body = REFUSED;
    expect(await verdictOf(act(gateway))).toEqual({ type: "unsure" });
  });
});

describe("a message with a quote that the gateway does not know", () => {
  it("is sent without the quote", async () => {
    const bodies: { quote?: unknown }[] = [];
    const app = new Hono().post("*", async (c) => {
      const body = await c.req.json();
      bodies.push(body);
      return body.quote ? c.json({ errors: ["Quoted message not found"] }, 400) : c.json({ message_id: 5, time: "t" });
    });
    await gatewayOn(callFrom(app)).sendMessage(
      channel,
      { event: { ...hello, quote: "gone" as MessengerMessageId }, files: [] },
      signal,
    );
    expect(bodies.map((body) => body.quote !== undefined)).toEqual([true, false]);
  });

  it("is sent once if the gateway has it already", async () => {
    let requests = 0;
    const app = new Hono().post("*", (c) => {
      requests += 1;
      return c.json({ errors: ["Message with passed external_id already exists"] }, 400);
    });
    const event = { ...hello, quote: "q" as MessengerMessageId };
    expect(await gatewayOn(callFrom(app)).sendMessage(channel, { event, files: [] }, signal)).toEqual({});
    expect(requests).toBe(1);
  });

  it("then includes the quoted text, which it omits with the quote", async () => {
    const texts: string[] = [];
    const app = new Hono().post("*", async (c) => {
      const body = await c.req.json();
      texts.push(body.message.text);
      return body.quote ? c.json({ errors: ["Quoted message not found"] }, 400) : c.json({ message_id: 5, time: "t" });
    });
    const quoting = { quote: "gone" as MessengerMessageId, quoted: { head: "> rope?\n", always: false } };
    await gatewayOn(callFrom(app)).sendMessage(channel, { event: { ...hello, ...quoting }, files: [] }, signal);
    expect(texts).toEqual(["hello", "> rope?\nhello"]);
  });
});

describe("every request of the client", () => {
  const features: Features = {
    type: "consultant",
    text: { creating: "both", editing: "outbound", quoting: "both", deleting: "outbound", maxLength: 4096 },
    image: { creating: "both", maxCount: 10, maxSize: 1000, maxNote: 1024 },
    audio: { creating: "outbound", maxCount: 1, maxSize: 1000 },
    product: { creating: "outbound" },
    delivered: "both",
    read: "inbound",
    suggestions: { text: "outbound" },
    reactions: { dictionary: ["👍"], maxCount: 1 },
    firstContact: "no",
    afterReplyTimeout: "no",
  };
  const at = { chat: "c" as ChatId, messengerMessageId: "m1" as MessengerMessageId, key: "k", at: 0 };
  const file = "0b5a3c1e-6f0b-4a53-9c0e-0d9d5f5a7f11" as GatewayFileId;
  const picture = {
    ...hello,
    content: { type: "image" as const, files: [{ file: { at: "gateway" as const, id: file } }], note: "look" },
  };
  const longText = { type: "text" as const, text: "😀".repeat(70_000) };
  const endless = {
    ...hello,
    replyUntil: Date.UTC(2026, 4, 1),
    chat: "c".repeat(100) as ChatId,
    customer: {
      ...hello.customer,
      id: "u".repeat(100) as typeof hello.customer.id,
      nickname: "",
      firstName: "f".repeat(300),
      lastName: "l".repeat(300),
      language: "ru",
      otherIds: ["+1", "w".repeat(300)] as CustomerId[],
      phone: "+1",
      email: "a@b.c",
      profileUrl: "https://t.me/x",
    },
    content: {
      type: "file" as const,
      files: [{ file: { at: "gateway" as const, id: file }, caption: "c".repeat(2_000) }],
      note: "n".repeat(70_000),
    },
  };
  const error = { code: "general" as const, message: "no", externalCode: "x".repeat(200) };
  const bareTemplate: Template = {
    ...{ code: "hello/ready#en?", name: "Hello", language: "en", category: "utility", body: "Hi", buttons: [] },
    status: "approved",
  };
  const template: Template = {
    ...bareTemplate,
    ...{ header: { type: "image" }, body: "Hello {{1}} and {{first_name}}", footer: "The shop" },
    buttons: [{ type: "url", title: "Track", url: "https://shop.example/{{1}}" }],
    ...{ status: "rejected", rejection: "scam", quality: "low" },
  };
  it.each<[string, (gateway: ReturnType<typeof gatewayOn>) => Promise<unknown>]>([
    ["activateChannel", (g) => g.activateChannel({ name: "n".repeat(200), externalId: "e", features }, signal)],
    ["updateChannel", (g) => g.updateChannel(channel, { name: "Shop", features }, signal)],
    ["deactivateChannel", (g) => g.deactivateChannel(channel, signal)],
    [
      "sendMessage",
      (g) =>
        g.sendMessage(
          channel,
          { event: { ...hello, page: "https://shop.example/a", quote: "q" as MessengerMessageId }, files: [] },
          signal,
        ),
    ],
    ["sendMessage", (g) => g.sendMessage(channel, { event: picture, files: [file] }, signal)],
    ["sendMessage", (g) => g.sendMessage(channel, { event: endless, files: Array(30).fill(file) }, signal)],
    [
      "sendMessage",
      (g) => g.sendMessage(channel, { event: { ...hello, content: longText, page: "no address" }, files: [] }, signal),
    ],
    ["editMessage", (g) => g.editMessage(channel, { ...at, type: "edited", text: longText.text }, signal)],
    ["editMessage", (g) => g.editMessage(channel, { ...at, type: "edited", text: "new" }, signal)],
    ["deleteMessage", (g) => g.deleteMessage(channel, at, signal)],
    ["markMessageRead", (g) => g.markRead(channel, { ...at, gatewayMessageId: "77" as GatewayMessageId }, signal)],
    ["markMessagesReadUntil", (g) => g.markReadUntil(channel, readUntil, signal)],
    ["addMessageReaction", (g) => g.setReaction(channel, { ...at, type: "reaction", reaction: "👍" }, signal)],
    ["deleteMessageReaction", (g) => g.setReaction(channel, { ...at, type: "reaction", reaction: null }, signal)],
    [
      "ackMessage",
      (g) =>
        g.ack(
          channel,
          { gatewayMessageId: "77" as GatewayMessageId, messengerMessageId: at.messengerMessageId },
          signal,
        ),
    ],
    ["ackMessage", (g) => g.ack(channel, { gatewayMessageId: "77" as GatewayMessageId, error }, signal)],
    ["activateTemplate", (g) => g.templates.create(channel, template, signal)],
    ["updateTemplate", (g) => g.templates.update(channel, template, signal)],
    ["updateTemplate", (g) => g.templates.update(channel, bareTemplate, signal)],
    ["deactivateTemplate", (g) => g.templates.delete(channel, template.code, signal)],
  ])("%s matches the contract, long ids included", async (id, act) => {
    const seen: { operation?: string; faults: string[]; text: string }[] = [];
    const app = new Hono().all("*", async (c) => {
      const text = await c.req.text();
      const operation = judge.operation("gateway", c.req.method, c.req.path.replace("/api/transport/v1", ""));
      const body = text ? JSON.parse(text) : undefined;
      const faults = operation ? [...judge.request(operation, body), ...strict(operation.id, body)] : ["?"];
      seen.push({ operation: operation?.id, faults, text });
      return c.json({ id: 1, message_id: 1, time: "t", activated_at: "2026-01-01T00:00:00Z", ids: [1] });
    });
    await act(gatewayOn(callFrom(app)));
    expect(seen).toMatchObject([{ operation: id, faults: [] }]);
    const named = seen[0]?.text.includes("channel");
    if (named && id !== "activateChannel" && id !== "updateChannel") expect(seen[0]?.text).toContain(`:${channel},`);
  });
});

describe("a file", () => {
  const id = "0b5a3c1e-6f0b-4a53-9c0e-0d9d5f5a7f11" as GatewayFileId;

  it("is uploaded as one form part, under its own name", async () => {
    let file: File | undefined;
    const app = new Hono().post("/api/transport/v1/files/upload", async (c) => {
      file = (await c.req.formData()).get("file") as File;
      return c.json({ id, type: "file", size: 4 });
    });
    const body = new Blob(["data"]).stream() as ReadableStream<Uint8Array>;
    const open = { body, name: "Счёт.pdf", mediaType: "application/pdf" };
    expect(await gatewayOn(callFrom(app)).uploadFile(open, signal)).toBe(id);
    expect([file?.name, file?.type, await file?.text()]).toEqual(["Счёт.pdf", "application/pdf", "data"]);
  });

  it("that was consumed when the token was refused is reopened by a later attempt, never at once", async () => {
    const app = new Hono().all("*", (c) => c.json({ errors: ["no"] }, 401));
    const body = new Blob(["data"]).stream() as ReadableStream<Uint8Array>;
    const verdict = await verdictOf(
      gatewayOn(callFrom(app), async () => "new").uploadFile({ body, mediaType: "text/plain" }, signal),
    );
    expect(verdict).toEqual({ type: "retry", afterMs: 1000 });
  });

  it.each([
    ["https://storage.example/a/%D0%A1%D1%87%D1%91%D1%82.pdf?sign=1", "Счёт.pdf"],
    ["https://storage.example/a/100%.pdf", "100%.pdf"],
    ["/files/raw/plain.txt", "plain.txt"],
  ])("is fetched from the gateway's URL, without the token: %s", async (url, name) => {
    const tokens: [string, string | undefined][] = [];
    const call: Call = async (request) => {
      tokens.push([new URL(request.url).host, request.headers?.["x-transport-token"]]);
      if (!request.stream)
        return answering(200, { id, type: "file", size: 4, mime_type: "text/x-record", url })(request);
      const headers = { "content-type": "text/plain" };
      const stream = new Blob(["data"]).stream() as ReadableStream<Uint8Array>;
      return { type: "answer", status: 200, headers, bytes: new Uint8Array(), stream };
    };
    const file = await gatewayOn(call).file(id, signal);
    expect(file).toMatchObject({ name, mediaType: "text/x-record", size: 4 });
    expect(tokens).toHaveLength(1);
    const open = await file.open(signal);
    const body = await new Response(open.body).text();
    expect({ ...open, body }).toEqual({ body: "data", name, mediaType: "text/plain", size: 4 });
    const { host } = new URL(url, "https://gateway.example");
    expect(tokens).toEqual([
      ["gateway.example", "old"],
      [host, undefined],
    ]);
  });

  it.each([undefined, "", "http://[bad"])("whose address is %j is refused", async (url) => {
    const app = new Hono().get("*", (c) => c.json({ id, type: "file", size: 4, url }));
    expect(await verdictOf(gatewayOn(callFrom(app)).file(id, signal))).toEqual({ type: "reject", code: "general" });
  });
});

describe("a deletion of something already gone", () => {
  it.each([
    [404, { errors: ["Not found"] }],
    [400, { errors: ["Channel not found"] }],
  ])("counts as removed: %i %j", async (status, body) => {
    const gateway = gatewayOn(answering(status, body));
    expect(await verdictOf(gateway.deactivateChannel(channel, signal))).toBe("ok");
    // No path names a message.
    const deleted = status === 404 ? { type: "retry" } : "ok";
    expect(await verdictOf(gateway.deleteMessage(channel, hello, signal))).toEqual(deleted);
  });

  it("counts as removed if the answer to an earlier try was lost", async () => {
    const gateway = gatewayOn(answering(400, { errors: ["Message is deleted"] }));
    expect(await verdictOf(gateway.deleteMessage(channel, hello, signal))).toBe("ok");
    expect(await verdictOf(gateway.ack(channel, { gatewayMessageId: "1" as never }, signal))).not.toBe("ok");
  });
});

it("a request aborted during a pause of the gateway is not sent, and is retried", async () => {
  const stop = new AbortController();
  const call: Call = async (request) =>
    request.signal?.aborted
      ? { type: "failure", sent: "no", reason: "aborted", detail: "gateway.example" }
      : answering(429, { errors: ["x"] }, { "retry-after": "60" })(request);
  const gateway = gatewayOn(call);
  expect(await verdictOf(gateway.sendMessage(channel, { event: hello, files: [] }, signal))).toEqual({
    type: "retry",
    afterMs: 60_000,
  });
  const waiting = verdictOf(gateway.sendMessage(channel, { event: hello, files: [] }, stop.signal));
  stop.abort();
  expect(await waiting).toEqual({ type: "retry" });
});

it("a proxy's 429 pauses the account's calls for seconds at most, whatever its Retry-After", async () => {
  const paused: number[] = [];
  const permits = { ...createPermits(systemClock), pauseFor: (_: string, ms: number) => void paused.push(ms) };
  for (const body of ["<html>", { errors: ["x"] }])
    await send(answering(429, body, { "retry-after": "3600" }), permits);
  expect(paused).toEqual([5_000, 600_000]);
});

it("what was recovered from a messenger's list takes its permit after what came by itself, and its files, too", async () => {
  const asked: string[] = [];
  const real = createPermits(systemClock);
  const permits: Permits = {
    ...real,
    run: (key, priority, act, within) => {
      asked.push(priority);
      return real.run(key, priority, act, within);
    },
  };
  const gateway = gatewayOn(answering(200, { message_id: 1, id: "f" }), undefined, permits);
  const event = { ...hello, recovered: true as const };
  await gateway.sendMessage(channel, { event: hello, files: [] }, signal);
  await gateway.sendMessage(channel, { event, files: [] }, signal);
  const file = () => ({ body: new Blob(["a"]).stream(), mediaType: "text/plain" });
  await gateway.uploadFile(file(), signal).catch(() => undefined);
  await gateway.uploadFile(file(), signal, "bulk").catch(() => undefined);
  expect(asked).toEqual(["message", "bulk", "message", "bulk"]);
});
