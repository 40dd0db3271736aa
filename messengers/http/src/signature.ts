import { createHmac } from "node:crypto";
import { sameSecret } from "gangway-messenger/ids";
import { keyOf } from "./wire.ts";

// Standard Webhooks (github.com/standard-webhooks/standard-webhooks): an HMAC-SHA256 of id, time and the body's bytes.

export const ID = "webhook-id";
export const TIMESTAMP = "webhook-timestamp";
export const SIGNATURE = "webhook-signature";

/** How far the sender's clock may differ, s. */
const TOLERANCE_S = 300;
const MAX_ID = 200;
/**
 * Takes the place of the time when this server reads a kept request again. No sender can sign it without the secret.
 */
const KEPT = "kept";

type Bytes = string | Uint8Array;

const mac = (secret: string, id: string, timestamp: string, body: Bytes) =>
  createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64");

/** One signature per secret: the receiver accepts any of them. */
const signaturesOf = (secrets: string[], id: string, timestamp: string, body: Bytes) =>
  secrets.map((secret) => `v1,${mac(secret, id, timestamp, body)}`).join(" ");

/** The three headers. `now` in ms. */
export function signed(secrets: string[], id: string, body: Bytes, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  return { [ID]: id, [TIMESTAMP]: timestamp, [SIGNATURE]: signaturesOf(secrets, id, timestamp, body) };
}

/** The proof of a kept request, valid at any time; its id is kept with it. */
export const keptProof = (secrets: string[], body: string): Record<string, string> => ({
  [TIMESTAMP]: KEPT,
  [SIGNATURE]: signaturesOf(secrets, KEPT, KEPT, body),
});

/** Why a request is not proven, in words for the integrator; undefined: it is. `now` in ms. */
export function faultIn(headers: Headers, body: Bytes, secrets: string[], now: number): string | undefined {
  const [id, timestamp, given] = [ID, TIMESTAMP, SIGNATURE].map((name) => headers.get(name) ?? "") as [
    string,
    string,
    string,
  ];
  for (const [name, value] of Object.entries({ [ID]: id, [TIMESTAMP]: timestamp, [SIGNATURE]: given }))
    if (value === "") return `the header ${name} is missing`;
  if (id.length > MAX_ID) return `${ID} should have at most ${MAX_ID} characters`;
  // A dot could move the border between id and time.
  if (id.includes(".")) return `${ID} should have no full stop`;
  const isKept = timestamp === KEPT;
  if (!isKept && !/^\d{1,12}$/.test(timestamp)) return `${TIMESTAMP} should be the time in seconds since 1970`;
  if (!isKept && Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_S)
    return `${TIMESTAMP} is more than ${TOLERANCE_S} seconds off: check your clock`;
  const signatures = given.split(" ").flatMap((each) => (each.startsWith("v1,") ? [each.slice("v1,".length)] : []));
  if (signatures.length === 0) return `${SIGNATURE} should be v1, and the signature in base64`;
  const right = secrets.map((secret) => mac(secret, isKept ? KEPT : id, timestamp, body));
  // Few, so that nobody can make the server compare for long.
  const proven = signatures.slice(0, 4).some((each) => right.some((value) => sameSecret(each, value)));
  return proven ? undefined : `${SIGNATURE} does not fit: sign "<id>.<timestamp>.<body>" with the channel's secret`;
}
