import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { createOutgoing } from "../../src/calls/outgoing.ts";
import type { BucketAccess } from "../../src/store/store.ts";
import { listening } from "./listening.ts";

// A store that speaks S3: what Gangway asks of one, as strict as Amazon's (API reference: Signature Version 4, Error responses).

export interface Keys {
  keyId: string;
  secret: string;
  region: string;
}

interface Refusal {
  status: number;
  code: string;
  message: string;
}

/** What a client has sent. */
interface Signed {
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string | undefined>;
}

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const refusal = (status: number, code: string, message: string): Refusal => ({ status, code, message });

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/;
const SKEW_MS = 15 * 60_000;
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** What is wrong with the signature at `now`; undefined: nothing. */
export function signatureFault({ method, url, headers }: Signed, keys: Keys, now: number): Refusal | undefined {
  const { authorization = "", "x-amz-date": date = "", "x-amz-content-sha256": hash } = headers;
  if (!authorization) return refusal(403, "AccessDenied", "Access Denied");
  const [, keyId, day = "", region = "", names = "", signature] = AUTHORIZATION.exec(authorization) ?? [];
  if (!keyId)
    return refusal(400, "AuthorizationHeaderMalformed", "The authorization header that you provided is not valid.");
  if (region !== keys.region)
    return refusal(
      400,
      "AuthorizationHeaderMalformed",
      `The authorization header is malformed; the region '${region}' is wrong; expecting '${keys.region}'`,
    );
  if (keyId !== keys.keyId)
    return refusal(403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.");
  if (!hash) return refusal(400, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!date.startsWith(day) || !(Math.abs(at - now) <= SKEW_MS))
    return refusal(
      403,
      "RequestTimeTooSkewed",
      "The difference between the request time and the server's time is too large.",
    );
  const signed = names.split(";");
  const mustSign = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
  if (!mustSign.every((name) => signed.includes(name)))
    return refusal(403, "AccessDenied", "There were headers present in the request which were not signed");
  const expected = signatureOf({ method, url, headers }, { ...keys, day, date, signed, hash });
  if (signature === expected) return undefined;
  const words = "The request signature we calculated does not match the signature you provided.";
  return refusal(403, "SignatureDoesNotMatch", `${words} Check your key and signing method.`);
}

interface Scope extends Keys {
  day: string;
  date: string;
  signed: string[];
  hash: string;
}

function signatureOf({ method, url, headers }: Signed, { secret, region, day, date, signed, hash }: Scope): string {
  const [path = "", query = ""] = url.split("?");
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.map(encoded).join("="));
  const lines = signed.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}\n`);
  const asked = [method, path, pairs.sort().join("&"), lines.join(""), signed.join(";"), hash].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (key, part) => hmac(key, part),
    `AWS4${secret}`,
  );
  return hmac(key as Buffer, ["AWS4-HMAC-SHA256", date, scope, sha256(asked)].join("\n")).toString("hex");
}

export interface TestBucket {
  access: BucketAccess;
  /** The same as settings. */
  env: Record<string, string>;
  keys: Keys;
  /** By their path within the bucket. */
  objects: Map<string, Buffer>;
  /** Methods and paths, in order. */
  asked: string[];
  /** Answers instead of the bucket, if it returns true. */
  instead?(method: string, answer: ServerResponse): boolean;
}

/** A bucket of its own, until the test ends. */
export async function openTestBucket(): Promise<TestBucket> {
  const keys = { keyId: "AKIAGANGWAYTESTS", secret: "secret-of-the-bucket's-user", region: "eu-central-1" };
  const bucket: Served = { keys, objects: new Map(), asked: [] };
  const origin = await listening((request, answer) => void answerTo(bucket, request, answer));
  const outgoing = createOutgoing({ origin });
  onTestFinished(() => outgoing.close());
  const access = { ...keys, url: `${origin}/bucket/gangway`, call: outgoing.call };
  const { keyId, secret, region } = keys;
  const env = { FILES_S3_URL: access.url, FILES_S3_KEY: keyId, FILES_S3_SECRET: secret, FILES_S3_REGION: region };
  return Object.assign(bucket, { access, env });
}

type Served = Omit<TestBucket, "access" | "env">;

async function answerTo(bucket: Served, request: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  const body = await buffer(request);
  bucket.asked.push(`${method} ${url}`);
  if (bucket.instead?.(method, answer)) return;
  const fault = faultOf(bucket, { method, url, headers: request.headers as Signed["headers"] }, body);
  if (fault) return refuse(answer, method, fault);
  const name = decodeURIComponent(url.slice("/bucket/".length));
  const found = bucket.objects.get(name);
  if (method === "PUT") bucket.objects.set(name, body);
  if (method === "DELETE") bucket.objects.delete(name);
  if (method === "PUT") answer.setHeader("etag", `"${createHash("md5").update(body).digest("hex")}"`).end();
  else if (method === "DELETE") answer.writeHead(204).end();
  else if (!found) refuse(answer, method, refusal(404, "NoSuchKey", "The specified key does not exist."));
  else answer.setHeader("content-length", found.length).end(method === "HEAD" ? undefined : found);
}

function faultOf({ keys }: Served, signed: Signed, body: Buffer): Refusal | undefined {
  const { method, url, headers } = signed;
  const fault = signatureFault(signed, keys, Date.now());
  if (fault) return fault;
  if (!["GET", "HEAD", "PUT", "DELETE"].includes(method))
    return refusal(405, "MethodNotAllowed", "The specified method is not allowed against this resource.");
  if (!url.startsWith("/bucket/")) return refusal(404, "NoSuchBucket", "The specified bucket does not exist");
  if (method === "PUT" && headers["content-length"] === undefined)
    return refusal(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
  const hash = headers["x-amz-content-sha256"];
  if (hash !== "UNSIGNED-PAYLOAD" && hash !== sha256(body))
    return refusal(
      400,
      "XAmzContentSHA256Mismatch",
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  return undefined;
}

export function refuse(answer: ServerResponse, method: string, { status, code, message }: Refusal): void {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  answer.writeHead(status, { "content-type": "application/xml" }).end(method === "HEAD" ? undefined : xml);
}
