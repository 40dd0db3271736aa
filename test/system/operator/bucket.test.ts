import { expect, it } from "vitest";
import { fileOf } from "../../support/channel-context.ts";
import { oneChannelOn, WITH_BUCKET } from "../../support/engines.ts";
import { gangway } from "../../support/gangway.ts";

it("doctor and verify ask the bucket of files", async () => {
  const { store, channel, bucket, folder, env } = await oneChannelOn(WITH_BUCKET);
  const { id } = await store.keptFiles.keep(channel.id, fileOf("bytes"), 100, () => new Error());
  const run = (name: string, more: Record<string, string> = {}) => gangway(folder, [name], { ...env, ...more });
  expect((await run("doctor")).out).toContain("ok    bucket of files: stores, returns and removes objects");
  const wrong = await run("doctor", { FILES_S3_SECRET: "another-secret" });
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.out).toMatch(/fail {2}bucket of files: the store of FILES_S3_URL .* with 403 SignatureDoesNotMatch/);
  expect((await run("verify")).code).toBe(0);
  bucket.objects.clear();
  const verified = await run("verify");
  expect(verified).toMatchObject({ code: 1 });
  expect(verified.out).toContain(`the file ${id} lacks 1 of its 1 objects`);
  expect(verified.out).toContain("look for what else deletes from the bucket of FILES_S3_URL");
});
