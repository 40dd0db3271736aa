import { describe, expect, it } from "vitest";
import { handshake, readBatch } from "../../src/door.ts";
import { byLogin, type Envelope, forwarded } from "../../src/envelope.ts";
import { escapedForm, isSigned, SIGNATURE_HEADER, signatureOf } from "../../src/signature.ts";
import { timeOf } from "../../src/time.ts";

const SECRET = "harbour-app-secret";
const bytes = (text: string) => new TextEncoder().encode(text);
const post = (body: string, signature: string) =>
  new Request("https://gangway.example/m/door", { method: "POST", body, headers: { [SIGNATURE_HEADER]: signature } });

describe("a signature", () => {
  // Published or computed with another implementation.
  it.each([
    [
      "YOUR_APP_SECRET",
      "Let's pretend this body is equal to the message object and can handle unicode characters like みどりいろ and J'ai mangé des pâtes",
      "5ab50fefd5b7b7258964d9825904e7916acb73fe8030123871485627791ffbde",
      "0363007aabdf1ab579f35936651a460fb5fa1aaf40df98b1264446b72cc96688",
    ],
    [
      "test_app_secret",
      '{"object":"page","text":"Привет ✓ 😀/"}',
      "faa8b8867763aec9e175682d7d00977a042cf5ba3b1d3c9f252c9c4d4a6ee63f",
      "3d43879324bd545f32654f9cda9cd257b5a64464435f56e0f317417e4c71ba04",
    ],
    [
      "test_app_secret",
      '{"object":"whatsapp_business_account","entry":[]}',
      "dec6a680679a968e7e0319355b23599cbfc54502c0784668e9618baa0c633756",
      "dec6a680679a968e7e0319355b23599cbfc54502c0784668e9618baa0c633756",
    ],
  ])("over the raw bytes or their escaped form counts (%s)", (secret, body, raw, escaped) => {
    expect(isSigned(`sha256=${raw}`, bytes(body), secret)).toBe(true);
    expect(isSigned(`sha256=${escaped}`, bytes(body), secret)).toBe(true);
    expect(isSigned(`sha256=${raw}`, bytes(`${body} `), secret)).toBe(false);
    expect(isSigned(`sha256=${raw}`, bytes(body), `${secret}s`)).toBe(false);
    expect(isSigned(raw, bytes(body), secret)).toBe(false);
  });

  it("counts for nothing without a secret, or without a header", () => {
    expect(isSigned(signatureOf("", "x"), bytes("x"), "")).toBe(false);
    expect(isSigned(null, bytes("x"), SECRET)).toBe(false);
  });

  it("is asked for before the body is read", async () => {
    const request = new Request("https://gangway.example/m/door", { method: "POST", body: "{}" });
    expect(await readBatch(request, SECRET)).toMatchObject({ refusal: { reply: { status: 401 } } });
    expect(request.bodyUsed).toBe(false);
  });

  it("over a body that was serialised anew is refused", async () => {
    const [given, anew] = ['{"object":"page","entry":[],"é":1}', '{"object":"page","entry":[],"\\u00E9":1}'];
    expect(await readBatch(post(given, signatureOf(SECRET, anew)), SECRET)).toMatchObject({
      refusal: { reply: { status: 401 } },
    });
    expect(Buffer.concat([...escapedForm("é~\x7f")]).toString()).toBe("\\u00e9~\\u007f");
  });
});

describe("a signature of a long body", () => {
  const long = `${"Привет ✓ 😀 plain ".repeat(5_000)}é`;
  const escaped = [...long.matchAll(/[\s\S]/g)]
    .map(([unit]) => (unit > "~" ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit))
    .join("");

  it("counts over the escaped form of all of it", () => {
    expect(isSigned(signatureOf(SECRET, escaped), bytes(long), SECRET)).toBe(true);
    expect(isSigned(signatureOf(SECRET, escaped.slice(0, -1)), bytes(long), SECRET)).toBe(false);
  });

  it("is made in pieces of a fixed size, however long the body: anybody can send one that is forged", () => {
    const longest = Math.max(...[...escapedForm("é".repeat(1_500_000))].map(({ length }) => length));
    expect(longest).toBe(6 * 16_384);
    const whole = [...escapedForm("é".repeat(1_500_000))].reduce((sum, { length }) => sum + length, 0);
    expect(whole).toBe(6 * 1_500_000);
  });
});

describe("a batch", () => {
  const read = async (body: string) => {
    const answer = await readBatch(post(body, signatureOf(SECRET, body)), SECRET);
    return "batch" in answer ? answer.batch : answer.refusal;
  };

  it("keeps every digit of 64-bit ids, and leaves those in a text alone", async () => {
    const body = `{"object":"page","entry":[{"id":9223372036854775807,"time":1,"messaging":[{"a":17841400000000000123,"t":"x:9223372036854775807,"}]}]}`;
    expect(await read(body)).toEqual({
      object: "page",
      entry: [
        {
          id: "9223372036854775807",
          time: 1,
          messaging: [{ a: "17841400000000000123", t: "x:9223372036854775807," }],
        },
      ],
    });
  });

  it.each(["", "{", "[]", "null", '{"object":"page"}', '{"object":"page","entry":{}}'])(
    "that cannot be read is answered with 200 and holds nothing (%s)",
    async (body) => {
      expect(await read(body)).toMatchObject({ events: [], reply: { status: 200 } });
    },
  );

  it.each([
    "null",
    "5",
    "[]",
    '{"id":null}',
    '{"id":"2","changes":[{"field":5}]}',
    '{"id":"2","changes":{}}',
    '{"id":"2","time":{},"changes":[null]}',
  ])("with an entry that cannot be read loses none of the others, and says so (%s)", async (bad) => {
    const body = `{"object":"page","entry":[${bad},{"id":"1","time":1,"changes":[7,{"field":"feed","value":1}]}]}`;
    const answer = await readBatch(post(body, signatureOf(SECRET, body)), SECRET);
    const parts = byLogin("batch" in answer ? answer.batch : { object: "", entry: [] }, ({ id }) => [id]);
    expect(parts.get("1")?.entry).toEqual([{ id: "1", time: 1, changes: [{ field: "feed", value: 1 }] }]);
    expect(answer).toHaveProperty("unknown", "a part of a batch that this version cannot read");
  });

  it("that is nested without end is refused", async () => {
    expect(await read("[".repeat(100_000))).toMatchObject({ reply: { status: 400 } });
  });

  it("of 3 MiB and 1,000 entries is read and split with one look at each change", async () => {
    const entry = Array.from({ length: 1_000 }, (_, n) => ({
      id: String(n % 10),
      time: n,
      changes: [{ field: "messages", value: { text: "é".repeat(1_400), of: n, list: [...Array(30).keys()] } }],
    }));
    const body = JSON.stringify({ object: "page", entry });
    const batch = (await read(body)) as Envelope;
    let looks = 0;
    const parts = byLogin(batch, ({ id }) => {
      looks++;
      return [id];
    });
    expect(bytes(body).length).toBeGreaterThan(2.8 * 1024 * 1024);
    expect([looks, parts.size]).toEqual([1_000, 10]);
    const sizes = [...parts].map(([login, part]) => forwarded(login, part, SECRET).request.body.length);
    // Each part is a tenth of the whole, and all of them nothing more than it.
    expect(Math.max(...sizes)).toBeLessThan(body.length / 9);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(body.length * 1.01);
  });
});

describe("a part of a batch", () => {
  const batch: Envelope = {
    object: "page",
    entry: [
      { id: "1", time: 5, messaging: ["a"] },
      { id: "2", time: 5, messaging: ["b"] },
      { id: "1", time: 6, changes: ["x", "y", "z"].map((value) => ({ field: "feed", value })) },
    ],
  };
  const loginsOf = ({ id }: { id: string }, change?: { value?: unknown }) =>
    change?.value === "y" ? ["p:1", "p:3"] : change?.value === "z" ? [] : [`p:${id}`];

  it("holds what belongs to its login, in order; what belongs to none is left out", () => {
    expect([...byLogin(batch, loginsOf)]).toEqual([
      [
        "p:1",
        {
          object: "page",
          entry: [
            { id: "1", time: 5, messaging: ["a"] },
            { id: "1", time: 6, changes: [batch.entry[2]?.changes?.[0], batch.entry[2]?.changes?.[1]] },
          ],
        },
      ],
      ["p:2", { object: "page", entry: [{ id: "2", time: 5, messaging: ["b"] }] }],
      ["p:3", { object: "page", entry: [{ id: "1", time: 6, changes: [batch.entry[2]?.changes?.[1]] }] }],
    ]);
  });

  it("is signed anew, so that its channel authenticates it, and only with the same app's secret", async () => {
    const [[login, part] = ["", batch]] = byLogin(batch, loginsOf);
    const { request } = forwarded(login, part, SECRET);
    const again = () => post(request.body, request.headers[SIGNATURE_HEADER] ?? "");
    expect(await readBatch(again(), SECRET)).toEqual({ batch: part });
    expect(await readBatch(again(), "another-secret")).toMatchObject({ refusal: { reply: { status: 401 } } });
  });
});

describe("a time", () => {
  it.each([
    [1_764_000_000, 1_764_000_000_000],
    ["1764000000", 1_764_000_000_000],
    [1_764_000_000_123, 1_764_000_000_123],
  ])("comes in seconds or ms (%s)", (given, ms) => {
    expect(timeOf(given, 5)).toBe(ms);
  });

  it.each([undefined, null, "", "soon", -1, 0, Number.NaN, 1e300, "99999999999999999999"])(
    "that makes no sense is now (%s)",
    (given) => {
      expect(timeOf(given, 5)).toBe(5);
    },
  );
});

describe("the handshake", () => {
  const ask = (query: string, method = "GET") =>
    handshake(new Request(`https://gangway.example/m/door?${query}`, { method }), "verify-me");

  it("is answered with the challenge exactly if the verify token is ours", async () => {
    const right = ask("hub.mode=subscribe&hub.verify_token=verify-me&hub.challenge=1158201444");
    expect([right?.status, await right?.text()]).toEqual([200, "1158201444"]);
    expect(ask("hub.mode=subscribe&hub.verify_token=verify-mf&hub.challenge=1")?.status).toBe(403);
    expect(ask("hub.mode=unsubscribe&hub.verify_token=verify-me&hub.challenge=1")?.status).toBe(403);
    expect(ask("")?.status).toBe(403);
  });

  it("proves nothing without a verify token, and is no POST", () => {
    const request = new Request("https://gangway.example/?hub.mode=subscribe&hub.verify_token=");
    expect(handshake(request, "")?.status).toBe(403);
    expect(ask("", "POST")).toBeUndefined();
  });
});
