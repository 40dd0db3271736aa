import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { readRows } from "../../../../test/support/engine.ts";
import { OWN, runningSite } from "../../../../test/support/site.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../src/signature.ts";

const SECRET = "the app's secret, which only the vendor and Meta know";
const META = { META_APP_ID: "1234567890", META_APP_SECRET: SECRET, META_VERIFY_TOKEN: "the verify token" };
const PAGES = [
  { id: "1001", time: 1, messaging: [] },
  { id: "1002", time: 1, messaging: [] },
];

async function served() {
  const metrics = { host: "127.0.0.1", port: 9464 };
  const site = await runningSite({ messengers: { facebook: META, whatsapp: META }, metrics });
  const post = (path: string, body: string, headers: Record<string, string>) =>
    site.ask(`/apps/facebook${path}`, { method: "POST", body, headers });
  const signed = (value: unknown, secret = SECRET) => {
    const body = JSON.stringify(value);
    return post("", body, { [SIGNATURE_HEADER]: signatureOf(secret, body) });
  };
  const warnings = () =>
    site.lines.map((line) => JSON.parse(line)).filter(({ event }: { event: string }) => event === "app.unproven");
  /** Of Messenger. */
  const counted = async () => {
    const text = await (await site.app.metrics?.(new Request(`${OWN}/metrics`)))?.text();
    const found = text?.matchAll(/^gangway_app_requests_total\{kind="facebook",result="([\w-]+)"\} (\d+)$/gm) ?? [];
    return Object.fromEntries([...found].map(([, result, count]) => [result, Number(count)]));
  };
  return { ...site, post, signed, warnings, counted };
}

it("a wrong META_APP_SECRET is in the log at once, in words, and in the metrics; a flood is one line", async () => {
  const { signed, post, warnings, counted } = await served();
  const batch = { object: "page", entry: PAGES };
  expect(await counted()).toEqual({ proven: 0, unsigned: 0, "other-secret": 0, "other-verify-token": 0 });
  await signed(batch, "the secret before it was reset");
  expect(warnings()).toMatchObject([
    { level: "warn", kind: "facebook", result: "other-secret", unproven: 1, proven: 0 },
  ]);
  expect(warnings()[0].todo).toMatch(/^if none is proven meanwhile, META_APP_SECRET is not this app's secret: copy it/);
  for (let n = 0; n < 99; n++) await signed({ ...batch, n }, "a stranger's");
  for (let n = 0; n < 5; n++) await post("", "{}", {});
  await post("/delete-data", "signed_request=a.b", { "content-type": "application/x-www-form-urlencoded" });
  await signed(batch);
  expect(warnings()).toHaveLength(1);
  expect(await counted()).toEqual({ proven: 1, unsigned: 5, "other-secret": 101, "other-verify-token": 0 });
});

it("Meta's check of the app's address is answered, with the right token only", async () => {
  const { ask, warnings, counted } = await served();
  const check = (token: string) =>
    ask(
      `/apps/whatsapp?${new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "42" })}`,
    );
  const right = await check(META.META_VERIFY_TOKEN);
  expect([right.status, await right.text()]).toEqual([200, "42"]);
  expect((await check("wrong")).status).toBe(403);
  expect((await ask("/apps/whatsapp")).status).toBe(403);
  expect(warnings()).toMatchObject([
    { kind: "whatsapp", result: "other-verify-token", todo: expect.stringContaining("META_VERIFY_TOKEN") },
  ]);
  // It proves no secret.
  expect(await counted()).toMatchObject({ proven: 0 });
});

it("a batch for pages that nobody has connected yet waits page by page, and only if the app's secret signed it", async () => {
  const { signed, folder } = await served();
  expect((await signed({ object: "page", entry: PAGES }, "another app's secret")).status).toBe(401);
  expect((await signed({ object: "page", entry: PAGES })).status).toBe(200);
  expect((await readRows(folder, ["parked"])).parked?.map(({ login }) => login)).toEqual([
    "facebook:1001",
    "facebook:1002",
  ]);
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
  expect((await readRows(folder, ["erasure_request"])).erasure_request).toHaveLength(1);
  expect((await post("/delete-data", `signed_request=${proof}x.${payload}`, form)).status).toBe(401);
});
