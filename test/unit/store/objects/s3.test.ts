import { S3mini } from "s3mini";
import { describe, expect, it } from "vitest";
import { BucketError, probe } from "../../../../src/store/objects/bucket.ts";
import { openBucket } from "../../../../src/store/objects/open.ts";
import { openTestBucket, refuse, signatureFault } from "../../../support/bucket.ts";

async function opened(changes: Partial<{ url: string; keyId: string; secret: string; region: string }> = {}) {
  const there = await openTestBucket();
  return { there, bucket: await openBucket({ ...there.access, ...changes }) };
}

describe("the tests' store", () => {
  it("finds right what Amazon's reference signs, and wrong what differs by a byte", () => {
    // Amazon S3 API Reference, "Signature calculations for the Authorization header", example: GET object.
    const signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
    const names = "host;range;x-amz-content-sha256;x-amz-date";
    const headers = {
      host: "examplebucket.s3.amazonaws.com",
      range: "bytes=0-9",
      "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "x-amz-date": "20130524T000000Z",
      authorization: `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`,
    };
    const keys = {
      keyId: "AKIAIOSFODNN7EXAMPLE",
      secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1",
    };
    const fault = (url: string, more: object = {}, at = Date.UTC(2013, 4, 24)) =>
      signatureFault({ method: "GET", url, headers: { ...headers, ...more } }, keys, at)?.code;
    expect(fault("/test.txt")).toBeUndefined();
    expect(fault("/test.tx")).toBe("SignatureDoesNotMatch");
    expect(fault("/test.txt", { range: "bytes=0-8" })).toBe("SignatureDoesNotMatch");
    expect(fault("/test.txt", { "x-amz-acl": "public-read" })).toBe("AccessDenied");
    expect(fault("/test.txt", {}, Date.UTC(2013, 4, 24, 0, 16))).toBe("RequestTimeTooSkewed");
  });

  it("serves another client of S3, and refuses it with a wrong secret", async () => {
    const { access, keys, objects } = await openTestBucket();
    // Node's fetch counts a body itself, and refuses to hear it twice.
    const uncounted: typeof fetch = (url, { headers, ...init } = {}) => {
      const others = new Headers(headers);
      others.delete("content-length");
      return fetch(url, { ...init, headers: others });
    };
    const settings = { accessKeyId: keys.keyId, region: keys.region, endpoint: access.url, fetch: uncounted };
    const client = (secretAccessKey: string) => new S3mini({ ...settings, secretAccessKey });
    const right = client(keys.secret);
    await right.putObject("a/b c.txt", Buffer.from("hello"));
    expect(objects.get("gangway/a/b c.txt")?.toString()).toBe("hello");
    expect(await right.getObject("a/b c.txt")).toBe("hello");
    expect(await right.deleteObject("a/b c.txt")).toBe(true);
    expect(await right.getObject("a/b c.txt")).toBeNull();
    await expect(client("another").putObject("a", Buffer.from("b"))).rejects.toThrow(/SignatureDoesNotMatch|403/);
  });
});

describe("a bucket", () => {
  it("stores, returns, measures and removes objects; what is missing is no fault", async () => {
    const { bucket, there } = await opened();
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256));
    await bucket.put("x-_Y/0", bytes);
    expect([...there.objects.keys()]).toEqual(["gangway/x-_Y/0"]);
    expect(Buffer.from((await bucket.get("x-_Y/0")) ?? "").equals(bytes)).toBe(true);
    expect(await bucket.sizeOf("x-_Y/0")).toBe(70_000);
    await bucket.remove("x-_Y/0");
    await bucket.remove("x-_Y/0");
    expect([await bucket.get("x-_Y/0"), await bucket.sizeOf("x-_Y/0")]).toEqual([undefined, undefined]);
    expect(await probe(bucket)).toBeUndefined();
    expect(there.objects.size).toBe(0);
  });

  it("repeats what the store answers with busy, and gives up in words", async () => {
    const { bucket, there } = await opened();
    let busy = 2;
    const slow = { status: 503, code: "SlowDown", message: "Please reduce your request rate." };
    there.instead = (method, answer) => {
      if (busy-- <= 0) return false;
      refuse(answer, method, slow);
      return true;
    };
    await bucket.put("a", Buffer.from("b"));
    expect(there.asked).toEqual(Array(3).fill("PUT /bucket/gangway/a"));
    busy = 3;
    const fault = await bucket.get("a").catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(BucketError);
    expect(fault).toMatchObject({
      message: expect.stringMatching(/^the store of FILES_S3_URL \(127.*\) answers a GET with 503 SlowDown$/),
    });
  });

  it.each([
    ["another secret", { secret: "not-the-secret" }, "403 SignatureDoesNotMatch"],
    ["an unknown key", { keyId: "AKIAUNKNOWN" }, "403 InvalidAccessKeyId"],
    ["another region", { region: "us-east-1" }, "400 AuthorizationHeaderMalformed"],
  ])("with %s says what the store answers", async (_, changes, words) => {
    const { bucket } = await opened(changes);
    expect(await probe(bucket)).toContain(`answers a PUT with ${words}`);
  });

  it("takes no page of a proxy for the store's word", async () => {
    const { bucket, there } = await opened();
    for (const status of [200, 404]) {
      there.instead = (_, answer) => {
        answer.writeHead(status, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
        return true;
      };
      await expect(bucket.put("a", Buffer.from("b"))).rejects.toThrow(BucketError);
      if (status === 404) await expect(bucket.get("a")).rejects.toThrow(BucketError);
      if (status === 404) await expect(bucket.remove("a")).rejects.toThrow(BucketError);
    }
  });

  it("that is not there says so", async () => {
    const { access } = await openTestBucket();
    const bucket = await openBucket({ ...access, url: access.url.replace("/bucket/", "/other/") });
    expect(await probe(bucket)).toContain("404 NoSuchBucket");
  });
});
