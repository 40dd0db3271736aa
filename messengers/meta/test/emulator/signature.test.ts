import { expect, it } from "vitest";
import { escaped, signatureOf, signedRequest } from "../../emulator/signature.ts";

const BODY = '{"text":"Señal ✓ 😀\u007f"}';

it("the escaped form writes each UTF-16 unit above U+007E as lower-case hex", () => {
  expect(escaped(BODY)).toBe('{"text":"Se\\u00f1al \\u2713 \\ud83d\\ude00\\u007f"}');
});

// Computed by Python's hmac.
it.each([
  ["raw", "ec2c85b36028f8c47681a8d1ee858d951114be95d5e978e93598acc7a6b68561"],
  ["escaped", "f71ef59fc69e61f104577f313c5e60dfb93f57c02503e8da75de96d2ce3510b7"],
] as const)("the %s form is signed with HMAC-SHA256", (form, hex) => {
  expect(signatureOf("quay-secret", BODY, form)).toBe(`sha256=${hex}`);
});

it("a signed request is the signature and its payload, in base64url", () => {
  const [, payload = ""] = signedRequest("quay-secret", { user_id: "7" }).split(".");
  expect(JSON.parse(Buffer.from(payload, "base64url").toString())).toEqual({ algorithm: "HMAC-SHA256", user_id: "7" });
});
