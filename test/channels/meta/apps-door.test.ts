import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { SIGNATURE_HEADER, signatureOf } from "../../../src/channels/meta/signature.ts";
import { rowsOf } from "../../support/rows.ts";
import { OWN, runningSite } from "../../support/site.ts";

const SECRET = "the app's secret, which only the vendor and Meta know";
const META = { META_APP_ID: "1234567890", META_APP_SECRET: SECRET, META_VERIFY_TOKEN: "the verify token" };
const PAGES = [
  { id: "1001", time: 1, messaging: [] },
  { id: "1002", time: 1, messaging: [] },
];

async function served() {
  const site = await runningSite({ messengers: { facebook: META, whatsapp: META } });
  const post = (path: string, body: string, headers: Record<string, string>) =>
    site.ask(`/apps/facebook${path}`, { method: "POST", body, headers });
  const signed = (value: unknown, secret = SECRET) => {
    const body = JSON.stringify(value);
    return post("", body, { [SIGNATURE_HEADER]: signatureOf(secret, body) });
  };
  return { ...site, post, signed };
}

it("Meta's check of the app's address is answered, with the right token only", async () => {
  const { ask } = await served();
  const check = (token: string) =>
    ask(
      `/apps/whatsapp?${new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "42" })}`,
    );
  const right = await check(META.META_VERIFY_TOKEN);
  expect([right.status, await right.text()]).toEqual([200, "42"]);
  expect((await check("wrong")).status).toBe(403);
});

it("a batch for pages that nobody has connected yet waits page by page, and only if the app's secret signed it", async () => {
  const { signed, folder } = await served();
  expect((await signed({ object: "page", entry: PAGES }, "another app's secret")).status).toBe(401);
  expect((await signed({ object: "page", entry: PAGES })).status).toBe(200);
  expect(rowsOf(folder, ["parked"]).parked?.map(({ login }) => login)).toEqual(["facebook:1001", "facebook:1002"]);
});

it("a person's request at Meta to be erased is answered with the address of its state, the same when it is repeated", async () => {
  const { post, ask, folder } = await served();
  const payload = Buffer.from(JSON.stringify({ algorithm: "HMAC-SHA256", user_id: "77", issued_at: 1 })).toString(
    "base64url",
  );
  const proof = createHmac("sha256", SECRET).update(payload).digest("base64url");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await post("/delete-data", `signed_request=${proof}.${payload}`, form);
  const { url, confirmation_code: code } = (await answer.json()) as Record<string, string>;
  expect(url).toBe(`${OWN}/erased/${code}`);
  expect((await ask(`/erased/${code}`)).status).toBe(200);
  const repeated = await post("/delete-data", `signed_request=${proof}.${payload}`, form);
  expect(await repeated.json()).toEqual({ url, confirmation_code: code });
  expect(rowsOf(folder, ["erasure_request"]).erasure_request).toHaveLength(1);
  expect((await post("/delete-data", `signed_request=${proof}x.${payload}`, form)).status).toBe(401);
});
