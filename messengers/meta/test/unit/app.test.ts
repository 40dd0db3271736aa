import { createHmac } from "node:crypto";
import facebook from "gangway-facebook";
import instagram from "gangway-instagram";
import type { AppAdapter } from "gangway-messenger/apps";
import { fingerprint } from "gangway-messenger/ids";
import whatsapp from "gangway-whatsapp";
import { describe, expect, it } from "vitest";
import { receiveForApp } from "../../src/app.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../src/signature.ts";
import { readSignedRequest } from "../../src/signed-request.ts";

const SECRET = "vendor-app-secret";
const TOKEN = "EAAtoken-of-the-harbour-shop-0123456789";
const door = {
  secret: SECRET,
  verifyToken: "vendor-verify",
  secretName: "META_APP_SECRET",
  loginsOf: ({ id }: { id: string }) => [`kind:${id}`],
  groupsOf: ({ id }: { id: string }, change?: unknown) => (change ? [`kind:account:${id}`] : []),
  ofPerson: ({ user_id }: { user_id: string }) => ({ groups: [`kind:person:${user_id}`] }),
};
const BASE = "https://gangway.example/apps/kind";
const post = (path: string, body: string, headers = {}) =>
  new Request(`${BASE}${path}`, { method: "POST", body, headers });

const signedRequest = (payload: string, secret = SECRET) => {
  const body = Buffer.from(payload).toString("base64url");
  return `${createHmac("sha256", secret).update(body).digest("base64url")}.${body}`;
};
const PAYLOAD = '{"algorithm":"HMAC-SHA256","issued_at":1764000000,"user_id":10218339471234567890}';

describe("a vendor app's door", () => {
  it("splits a batch by login, signs each part, and refuses what another app has signed", async () => {
    const body = '{"object":"page","entry":[{"id":"1","messaging":[1]},{"id":"2","messaging":[2]}]}';
    const receipt = await receiveForApp(post("", body, { [SIGNATURE_HEADER]: signatureOf(SECRET, body) }), door);
    expect(receipt.parts.map(({ login, request }) => [login, request.body])).toEqual([
      ["kind:1", '{"object":"page","entry":[{"id":"1","messaging":[1]}]}'],
      ["kind:2", '{"object":"page","entry":[{"id":"2","messaging":[2]}]}'],
    ]);
    const forged = await receiveForApp(post("", body, { [SIGNATURE_HEADER]: signatureOf("other", body) }), door);
    expect([forged.reply.status, forged.parts]).toEqual([401, []]);
  });

  it("answers Meta's check of its address", async () => {
    const query = "?hub.mode=subscribe&hub.verify_token=vendor-verify&hub.challenge=42";
    expect(await (await receiveForApp(new Request(BASE + query), door)).reply.text()).toBe("42");
  });

  it("stops and forgets the logins of a person who has their data deleted, erases the person, and says where to see that it is done", async () => {
    const form = new URLSearchParams({ signed_request: signedRequest(PAYLOAD) }).toString();
    const { erase, withdrawn } = await receiveForApp(post("/delete-data", form), door);
    expect(erase?.customer).toBe("10218339471234567890");
    expect(withdrawn).toMatchObject({ logins: [], groups: ["kind:person:10218339471234567890"], forget: true });
    const reply = await erase?.reply("https://gangway.example/erased/7", "7").json();
    expect(reply).toEqual({ url: "https://gangway.example/erased/7", confirmation_code: "7" });
  });

  it("stops the logins of a person who has removed the app", async () => {
    const form = new URLSearchParams({ signed_request: signedRequest(PAYLOAD) }).toString();
    const { withdrawn, erase } = await receiveForApp(post("/deauthorize", form), door);
    expect(withdrawn).toMatchObject({ logins: [], groups: ["kind:person:10218339471234567890"] });
    expect([withdrawn?.forget, erase]).toEqual([undefined, undefined]);
  });

  it.each<[string, AppAdapter, object]>([
    ["WhatsApp", whatsapp, { token: TOKEN, phoneNumberId: "31550000001", wabaId: "21550000001" }],
    ["Messenger", facebook, { token: TOKEN, pageId: "100100100" }],
    ["Instagram", instagram, { token: TOKEN, accountId: "17840000001", issued: `${fingerprint(TOKEN)} 1` }],
  ])(
    "forgets a login at %s but for what is the account's: settings without the token still parse",
    (_, adapter, own) => {
      const known = adapter.settings.parse(own) as Record<string, unknown>;
      const left = adapter.app.forget(known) as Record<string, unknown>;
      expect(adapter.settings.parse(left)).toEqual(left);
      const changed = Object.keys(known).filter((key) => known[key] !== left[key]);
      expect(changed).toEqual("issued" in own ? ["token", "issued"] : ["token"]);
      for (const secret of [TOKEN, fingerprint(TOKEN)]) expect(JSON.stringify(left)).not.toContain(secret);
    },
  );

  it("takes neither from a request that is not signed with the app's secret", async () => {
    for (const given of ["", "a.b", signedRequest(PAYLOAD, "other"), `${signedRequest(PAYLOAD)}.x`]) {
      const form = new URLSearchParams({ signed_request: given }).toString();
      for (const path of ["/deauthorize", "/delete-data"]) {
        const receipt = await receiveForApp(post(path, form), door);
        expect(receipt).toMatchObject({ parts: [], reply: { status: 401 } });
        expect([receipt.erase, receipt.withdrawn]).toEqual([undefined, undefined]);
      }
    }
  });
});

describe("a signed request", () => {
  it("counts only with its own algorithm and in full", () => {
    expect(readSignedRequest(signedRequest(PAYLOAD), SECRET)?.user_id).toBe("10218339471234567890");
    expect(readSignedRequest(signedRequest(PAYLOAD.replace("HMAC-SHA256", "none")), SECRET)).toBeUndefined();
    expect(readSignedRequest(signedRequest("not json"), SECRET)).toBeUndefined();
    expect(readSignedRequest(signedRequest(PAYLOAD, ""), "")).toBeUndefined();
  });
});
