import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { faultIn, signed } from "../../src/signature.ts";
import { newSigningSecret, secretsOf, settings } from "../../src/wire.ts";

/** Of the specification. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const VECTOR = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": "1614265330",
  "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const BODY = '{"test": 2432232314}';
const AT = 1_614_265_330_000;
const NEW = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const now = () => Date.now();

const fault = (more: Record<string, string> = {}, { secrets = [SECRET], at = AT, body = BODY } = {}) =>
  faultIn(new Headers({ ...VECTOR, ...more }), body, secrets, at);

describe("a signature", () => {
  it("is that of the specification", () => {
    expect(signed([SECRET], VECTOR["webhook-id"], BODY, AT)).toEqual(VECTOR);
    expect(fault()).toBeUndefined();
  });

  it("of ours is taken by the published library, and the library's by us", () => {
    const library = new Webhook(SECRET);
    expect(library.verify(BODY, signed([NEW, SECRET], "evt_1", BODY, now()))).toEqual(JSON.parse(BODY));
    const at = new Date();
    const theirs = {
      ...{ "webhook-id": "evt_1", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)) },
      "webhook-signature": library.sign("evt_1", at, BODY),
    };
    expect(fault(theirs, { at: at.getTime() })).toBeUndefined();
  });

  it("may be up to 300 seconds old, or ahead", () => {
    expect([300_000, -300_000].map((by) => fault({}, { at: AT + by }))).toEqual([undefined, undefined]);
    for (const by of [302_000, -302_000]) expect(fault({}, { at: AT + by })).toMatch(/300 seconds off/);
  });

  it.each([
    [{ "webhook-id": "" }, /webhook-id is missing/],
    [{ "webhook-timestamp": "" }, /webhook-timestamp is missing/],
    [{ "webhook-signature": "" }, /webhook-signature is missing/],
    [{ "webhook-timestamp": "2021-02-25T15:02:10Z" }, /time in seconds/],
    [{ "webhook-signature": "g0hM9SsE" }, /should be v1,/],
    [{ "webhook-signature": "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" }, /should be v1,/],
    [{ "webhook-id": "msg_other" }, /does not fit/],
    [{ "webhook-id": "msg_other.1" }, /no full stop/],
    [{ "webhook-id": "m".repeat(201) }, /at most 200 characters/],
    [{ "webhook-timestamp": "kept" }, /does not fit/],
  ])("that is wrong is explained: %o", (more, words) => {
    expect(fault(more)).toMatch(words);
  });

  it("covers the bytes of the body", () => {
    expect(fault({}, { body: '{"test":2432232314}' })).toMatch(/does not fit/);
  });

  it("of an unknown version is skipped beside one that fits", () => {
    expect(fault({ "webhook-signature": `v9,abc v1,AAAA ${VECTOR["webhook-signature"]}` })).toBeUndefined();
  });
});

describe("a secret", () => {
  const stored = (signingSecret: string) => settings.parse({ signingSecret });

  it("is made by the command, each time another one, as the published library wants it", () => {
    const [one, other] = [newSigningSecret(), newSigningSecret()];
    expect(one).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(one).not.toBe(other);
    expect(settings.safeParse({ signingSecret: one }).success).toBe(true);
    expect(() => new Webhook(one)).not.toThrow();
  });

  it("is exchanged with overlap: both sign, and either is taken", () => {
    const both = secretsOf(stored(` ${NEW}\n${SECRET} `));
    expect(both).toEqual([NEW, SECRET]);
    const headers = signed(both, "evt_1", BODY, now());
    for (const secret of both) {
      expect(new Webhook(secret).verify(BODY, headers)).toBeTruthy();
      expect(faultIn(new Headers(signed([secret], "evt_1", BODY, now())), BODY, both, now())).toBeUndefined();
    }
    expect(faultIn(new Headers(headers), BODY, secretsOf(stored(NEW)), now())).toBeUndefined();
  });

  it("is stored as it is read", () => {
    const once = stored(`${NEW}  ${SECRET}`);
    expect(settings.parse(once)).toEqual(once);
    expect(settings.safeParse({}).success).toBe(false);
  });

  it.each(["secret", "whsec_", "whsec_c2hvcnQ=", `whsec_${"A".repeat(100)}`, `${NEW} ${NEW} ${NEW}`, "whsec_%%%"])(
    "that is not one is refused: %s",
    (typed) => {
      expect(settings.safeParse({ signingSecret: typed }).success).toBe(false);
    },
  );
});
