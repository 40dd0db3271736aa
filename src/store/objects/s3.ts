import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { type Answer, answerText, type CallRequest } from "gangway-messenger/call";
import type { BucketAccess } from "../store.ts";
import { type Bucket, BucketError } from "./bucket.ts";

/** Deadline of a call, ms. */
const TIMEOUT_MS = 30_000;
/** Maximum size of an object, bytes. */
const MAX_BYTES = 8 * 1024 ** 2;
/** Pauses before the second and third attempt, ms. */
const WAITS = [200, 1_000];
/** Statuses that ask for a retry (S3: Error responses), like every status from 500 on. */
const REPEATED = [408, 429];

type Method = CallRequest["method"];

/** A bucket in a store that speaks S3. */
export function s3Bucket(access: BucketAccess): Bucket {
  const ask = asking(access);
  return {
    async put(name, bytes) {
      const answer = await ask("PUT", name, bytes);
      // A proxy's page has no ETag.
      if (answer.status !== 200 || !answer.headers.etag) throw refused(access, "PUT", answer);
    },
    async get(name) {
      const answer = await ask("GET", name);
      if (answer.status === 200) return answer.bytes;
      if (isMissing(answer)) return undefined;
      throw refused(access, "GET", answer);
    },
    async sizeOf(name) {
      const answer = await ask("HEAD", name);
      // A HEAD answer has no body to tell the cause.
      if (answer.status === 404) return undefined;
      const size = Number(answer.headers["content-length"] ?? Number.NaN);
      if (answer.status !== 200 || Number.isNaN(size)) throw refused(access, "HEAD", answer);
      return size;
    },
    async remove(name) {
      const answer = await ask("DELETE", name);
      if (answer.status !== 204 && answer.status !== 200 && !isMissing(answer)) throw refused(access, "DELETE", answer);
    },
  };
}

/** S3's error code. */
const codeOf = (answer: Answer) => /<Code>(\w+)<\/Code>/.exec(answerText(answer))?.[1];
const isMissing = (answer: Answer) => answer.status === 404 && codeOf(answer) === "NoSuchKey";

function refused({ url }: BucketAccess, method: Method, answer: Answer): BucketError {
  const said = [answer.status, codeOf(answer)].filter(Boolean).join(" ");
  return new BucketError(`the store of FILES_S3_URL (${new URL(url).host}) answers a ${method} with ${said}`);
}

/** Repeats a call until its answer is final. */
function asking(access: BucketAccess) {
  return async (method: Method, name: string, body?: Uint8Array): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      const { url, headers } = await signed(access, method, name, body);
      const given = { method, url, headers, body, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
      const result = await access.call(given);
      const isFinal = result.type === "answer" && result.status < 500 && !REPEATED.includes(result.status);
      if (isFinal) return result;
      const wait = WAITS[attempt];
      if (wait !== undefined) await setTimeout(wait);
      else if (result.type === "answer") throw refused(access, method, result);
      else throw new BucketError(`the store of FILES_S3_URL cannot be reached: ${result.detail} (${result.reason})`);
    }
  };
}

/** Signature Version 4, over the body's hash. */
async function signed(
  { url: base, keyId, secret, region }: BucketAccess,
  method: Method,
  name: string,
  body?: Uint8Array,
) {
  const hash = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  const signer = new AwsV4Signer({
    ...{ method, url: `${base}/${name}`, headers: { "x-amz-content-sha256": hash } },
    ...{ accessKeyId: keyId, secretAccessKey: secret, region, service: "s3" },
  });
  const { url, headers } = await signer.sign();
  return { url: url.href, headers: Object.fromEntries(headers) };
}
