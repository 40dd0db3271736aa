import type { ChatId, CustomerId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { Overload } from "../../../src/domain/delivery.ts";
import { byUser, type RotationCursor } from "../../../src/store/care.ts";
import { PIECE } from "../../../src/store/objects/bucket.ts";
import { openPostgres } from "../../../src/store/postgres/open.ts";
import { openTestBucket, type TestBucket } from "../../support/bucket.ts";
import { fileOf } from "../../support/channel-context.ts";
import { handClock } from "../../support/clock.ts";
import { oneChannelOn, postgresStore, WITH_BUCKET } from "../../support/engines.ts";
import { customerSays } from "../../support/events.ts";
import { KEY_RING, NEXT_RING } from "../../support/store.ts";

const LONG = "one line of a long text. ".repeat((2 * PIECE) / 25);

async function opened() {
  const faults: string[] = [];
  const made = await oneChannelOn(WITH_BUCKET, { onBucketFault: ({ message }) => faults.push(message) });
  const { store, channel } = made;
  const keep = async (text = "the bytes of a file") =>
    (await store.keptFiles.keep(channel.id, fileOf(text), 4 * PIECE, () => new Error("too large"))).id;
  const textOf = async (id: string) => new Response((await store.keptFiles.open(channel.id, id))?.body).text();
  const verdict = async () =>
    (await store.condition.verify()).find(({ name }) => name === "files in the bucket")?.faults;
  return { ...made, keep, textOf, verdict, faults };
}

/** From now on the store answers nothing but this. */
function goAway(bucket: TestBucket): void {
  bucket.instead = (_, answer) => {
    answer.destroy();
    return true;
  };
}

describe("a file in a bucket", () => {
  it("is sealed, in pieces whose names nobody can guess", async () => {
    const { bucket, keep, textOf, rows } = await opened();
    const [id, twin] = [await keep(LONG), await keep(LONG)];
    expect(id).toMatch(/^[\w-]{22}$/);
    const names = [0, 1].map((part) => `gangway/${id}/${part}`);
    expect([...bucket.objects.keys()]).toEqual([...names, ...names.map((name) => name.replace(id, twin))]);
    for (const bytes of bucket.objects.values()) {
      expect(bytes.length).toBeLessThanOrEqual(PIECE + 16);
      expect(bytes.includes("line")).toBe(false);
    }
    expect(bucket.objects.get(`gangway/${id}/0`)).not.toEqual(bucket.objects.get(`gangway/${twin}/0`));
    expect(await rows("kept_chunk")).toEqual([]);
    expect(await textOf(id)).toBe(LONG);
  });

  it("whose bytes were changed or swapped there does not open", async () => {
    const { bucket, keep, textOf } = await opened();
    const id = await keep(LONG);
    const [first, second] = [0, 1].map((part) => `gangway/${id}/${part}`) as [string, string];
    const bytes = bucket.objects.get(first) as Buffer;
    bucket.objects.set(second, bytes);
    await expect(textOf(id)).rejects.toThrow();
    bucket.objects.set(first, Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]));
    await expect(textOf(id)).rejects.toThrow("does not open");
  });

  it("is refused for now while the bucket is away, and leaves nothing; what is there is read later", async () => {
    const { bucket, keep, textOf, rows, store, faults } = await opened();
    const id = await keep();
    goAway(bucket);
    for (const work of [keep, () => textOf(id)]) {
      const refused = await work().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Overload);
      expect(refused).toMatchObject({ bound: "bucket" });
    }
    expect(faults[0]).toMatch(/^the store of FILES_S3_URL cannot be reached: 127\.0\.0\.1/);
    expect((await rows("kept_file")).map((row) => row.id)).toEqual([id]);
    bucket.instead = undefined;
    expect(await textOf(id)).toBe("the bytes of a file");
    expect(await textOf(await keep())).toBe("the bytes of a file");
    // Of the refused one only its number was left.
    expect(await store.retention.sweepFolder(0)).toBe(1);
    expect((await rows("kept_object")).length).toBe(2);
  });

  it("that was deleted opens nowhere any more, and its objects go once the bucket is there", async () => {
    const { bucket, keep, rows, change, store, faults } = await opened();
    const [id, other] = [await keep(LONG), await keep()];
    goAway(bucket);
    await change(`DELETE FROM kept_file WHERE id = '${id}'`);
    const left = async () => (await rows("kept_object")).map((row) => [row.file_id, row.sealed === null]);
    expect(await left()).toEqual(
      expect.arrayContaining([
        [id, true],
        [other, false],
      ]),
    );
    expect(await store.retention.sweepFolder(0)).toBe(0);
    expect(faults).toHaveLength(1);
    bucket.instead = undefined;
    expect(await store.retention.sweepFolder(0)).toBe(1);
    expect(await left()).toEqual([[other, false]]);
    expect([...bucket.objects.keys()]).toEqual([`gangway/${other}/0`]);
  });

  it("whose upload a crash ended is removed, but not one that may still get its row", async () => {
    const { bucket, keep, rows, change, store } = await opened();
    const [old, young] = [await keep(), await keep()];
    await change("ALTER TABLE kept_file DISABLE TRIGGER USER");
    await change("DELETE FROM kept_file");
    await change(`UPDATE kept_object SET created_at = CASE file_id WHEN '${old}' THEN 1 ELSE 10 END`);
    expect(await store.retention.sweepFolder(10)).toBe(1);
    expect((await rows("kept_object")).map((row) => row.file_id)).toEqual([young]);
    expect([...bucket.objects.keys()]).toEqual([`gangway/${young}/0`]);
  });

  it("that lacks objects, or has others, is a finding; so is a bucket that cannot be asked", async () => {
    const { bucket, keep, verdict } = await opened();
    const [id, cut] = [await keep(LONG), await keep()];
    expect(await verdict()).toEqual([]);
    bucket.objects.delete(`gangway/${id}/1`);
    bucket.objects.set(`gangway/${cut}/0`, Buffer.alloc(18));
    const faults = [`the file ${id} lacks 1 of its 2 objects`, `the file ${cut} has 2 bytes and should have 19`];
    expect(await verdict()).toEqual(faults);
    goAway(bucket);
    expect(await verdict()).toEqual([expect.stringContaining("cannot be reached")]);
  });

  it("is read with the new key alone once keys were rotated", async () => {
    const { url, bucket, keep, channel } = await opened();
    const id = await keep();
    const ring = { keys: [...NEXT_RING.keys, ...KEY_RING.keys] };
    const open = (keyRing: typeof ring) => openPostgres({ url, keyRing, clock: handClock(), bucket: bucket.access });
    const rotating = await open(ring);
    for (let cursor: RotationCursor | undefined = { column: 0, after: -1 }; cursor; )
      cursor = (await rotating.rotation.batch(cursor)).next;
    await rotating.close();
    const next = await open(NEXT_RING);
    const found = await next.keptFiles.open(channel.id, id);
    expect(await new Response(found?.body).text()).toBe("the bytes of a file");
    await next.close();
  });
});

describe("an erasure", () => {
  it("removes objects, too; it does not wait for a bucket that is away, where nothing opens them any more", async () => {
    const { bucket, keep, store, account, rows, channel } = await opened();
    const others = await keep();
    const came = async (chat: string) => {
      await store.outbox.acceptInbound(channel, { events: [customerSays(`${chat}:1`, "hello", chat)] });
      const of = { uploader: "customer", chat } as const;
      return store.keptFiles.keep(channel.id, fileOf(LONG), 4 * PIECE, () => new Error("too large"), of);
    };
    const erase = (chat: string) => {
      const person = { channelId: channel.id, chat: chat as ChatId, customer: chat as CustomerId };
      return store.erasure.customer(account.id, person, byUser("customer erased"));
    };
    const [, bobs] = [await came("ann"), await came("bob")];
    expect(await erase("ann")).toMatchObject({ files: 1 });
    const parts = [0, 1].map((part) => `gangway/${bobs.id}/${part}`);
    expect([...bucket.objects.keys()].sort()).toEqual([`gangway/${others}/0`, ...parts].sort());
    goAway(bucket);
    expect(await erase("bob")).toMatchObject({ files: 1 });
    const shut = (await rows("kept_object")).filter(({ sealed }) => sealed === null);
    expect(shut.map((row) => row.file_id)).toEqual([bobs.id]);
    bucket.instead = undefined;
    expect(await store.retention.sweepFolder(0)).toBe(1);
    expect([...bucket.objects.keys()]).toEqual([`gangway/${others}/0`]);
  });
});

describe("a database", () => {
  it("whose files are in a bucket does not start without it", async () => {
    const { url, bucket, keep, textOf } = await opened();
    await postgresStore(url);
    const id = await keep();
    await expect(postgresStore(url)).rejects.toThrow("set FILES_S3_URL, FILES_S3_KEY and FILES_S3_SECRET");
    await postgresStore(url, handClock(), { bucket: bucket.access });
    expect(await textOf(id)).toBe("the bytes of a file");
  });

  it("reads the files that it had before it got a bucket", async () => {
    const { url, keep, textOf, store, channel } = await opened();
    const before = await postgresStore(url);
    const { id } = await before.keptFiles.keep(channel.id, fileOf("from before"), 100, () => new Error());
    expect([await textOf(id), await textOf(await keep())]).toEqual(["from before", "the bytes of a file"]);
    expect((await store.condition.verify()).filter(({ faults }) => faults.length > 0)).toEqual([]);
    const wrong = await openTestBucket();
    const moved = await postgresStore(url, handClock(), { bucket: wrong.access });
    expect(await moved.condition.probeBucket?.()).toBeUndefined();
    expect((await moved.condition.verify()).flatMap(({ faults }) => faults)).toHaveLength(1);
  });
});
