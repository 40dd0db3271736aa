import { createHmac } from "node:crypto";
import { readWebhook } from "gangway-messenger/webhooks";
import { expect, it } from "vitest";

const proof = { header: "x-proof", secret: "right" };
const webhook = (body: string, secret = "right", method = "POST") =>
  new Request("https://gangway.example/m/door", { method, body, headers: { "x-proof": secret } });

it("gives the JSON of a webhook that is proven", async () => {
  expect(await readWebhook(webhook('{"id":1}'), proof)).toEqual({ body: { id: 1 } });
});

it("gives the JSON of a webhook whose body is signed, and of no other", async () => {
  const signed = {
    header: "x-proof",
    secret: (body: Uint8Array | string) => createHmac("sha256", "key").update(body).digest("hex"),
  };
  expect(await readWebhook(webhook("{}", signed.secret("{}")), signed)).toEqual({ body: {} });
  const forged = await readWebhook(webhook('{"id":1}', signed.secret("{}")), signed);
  expect("refusal" in forged && forged.refusal.reply.status).toBe(401);
});

it("accepts nothing under an empty secret", async () => {
  const bare = new Request("https://gangway.example/m/door", { method: "POST", body: "{}" });
  const read = await readWebhook(bare, { ...proof, secret: "" });
  expect("refusal" in read && read.refusal.reply.status).toBe(401);
});

it("checks a signature over the bytes as they came", async () => {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]);
  const secret = (body: Uint8Array) => createHmac("sha256", "key").update(body).digest("hex");
  const headers = { "x-proof": secret(bytes) };
  const request = new Request("https://gangway.example/m/door", { method: "POST", body: bytes, headers });
  expect(await readWebhook(request, { ...proof, secret })).toEqual({ body: {} });
});

it.each([
  ["a wrong secret", webhook("{}", "wrong"), 401],
  ["no secret", new Request("https://gangway.example/m/door", { method: "POST", body: "{}" }), 401],
  ["another method", webhook("{}", "right", "PUT"), 405],
  ["a body that is nested too deeply", webhook("[".repeat(100)), 400],
  ["a body that is no JSON", webhook("{"), 200],
])("refuses %s without an event", async (_, request, status) => {
  const read = await readWebhook(request, proof);
  if (!("refusal" in read)) throw new Error("it was read");
  expect(read.refusal.events).toEqual([]);
  expect(read.refusal.reply.status).toBe(status);
});
