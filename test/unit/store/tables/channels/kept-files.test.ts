import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { DEFAULT_BOUNDS, Overload } from "../../../../../src/domain/delivery.ts";
import type { TestBucket } from "../../../../support/bucket.ts";
import { oneChannelOn, WITH_EVERY_STORAGE } from "../../../../support/engines.ts";

const MIB = 1024 ** 2;
const TOO_LARGE = () => new Error("too large");

/** A file whose bytes come in pieces of odd sizes. */
const fileOf = (bytes: Uint8Array) => ({
  name: "a.bin",
  mediaType: "application/octet-stream",
  body: new ReadableStream<Uint8Array>({
    start(controller) {
      for (let n = 0; n < bytes.length; n += 70_001) controller.enqueue(bytes.subarray(n, n + 70_001));
      controller.close();
    },
  }),
});

describe.each(WITH_EVERY_STORAGE)("a kept file, on $name,", (engine) => {
  it("is read as it was written, by its channel only", async () => {
    const { store, channel } = await oneChannelOn(engine);
    const bytes = Buffer.from(Array.from({ length: 2 * MIB + 12_345 }, (_, n) => (n * 7) % 251));
    for (const each of [bytes, bytes.subarray(0, 256 * 1024), bytes.subarray(0, MIB), bytes.subarray(0, 0)]) {
      const { id, size } = await store.keptFiles.keep(channel.id, fileOf(each), 3 * MIB, TOO_LARGE);
      expect(size).toBe(each.length);
      const found = await store.keptFiles.open(channel.id, id);
      expect(found).toMatchObject({ name: "a.bin", mediaType: "application/octet-stream", size });
      expect((await buffer(found?.body as never)).equals(each)).toBe(true);
      expect(await store.keptFiles.open("another" as never, id)).toBeUndefined();
    }
  });

  it("that is too large, or whose bytes break off, leaves nothing", async () => {
    const opened = await oneChannelOn(engine);
    const { store, channel, rows } = opened;
    const large = fileOf(Buffer.alloc(MIB));
    await expect(store.keptFiles.keep(channel.id, large, MIB - 1, TOO_LARGE)).rejects.toThrow("too large");
    let n = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (n++ < 5 ? controller.enqueue(Buffer.alloc(100_000)) : controller.error(new Error("cut"))),
    });
    await expect(store.keptFiles.keep(channel.id, { ...large, body }, MIB, TOO_LARGE)).rejects.toThrow("cut");
    expect(await rows("kept_file")).toEqual([]);
    if (engine.name === "SQLite") return;
    expect(await rows("kept_chunk")).toEqual([]);
    expect(await rows("kept_object")).toEqual([]);
    if ("bucket" in opened) expect([...(opened as { bucket: TestBucket }).bucket.objects.keys()]).toEqual([]);
  });

  it("counts for its channel's room, of the day and in all, which a customer cannot use up for agents", async () => {
    const files = { ...DEFAULT_BOUNDS.files, customer: { day: 10_000, all: 25_000 } };
    const { store, clock, channel, rows, change } = await oneChannelOn(engine, { bounds: { files } });
    const keep = (uploader: "customer" | "agent") =>
      store.keptFiles.keep(channel.id, fileOf(Buffer.alloc(9_000)), MIB, TOO_LARGE, { uploader });
    await keep("customer");
    await keep("customer");
    for (const count of [1, 2]) {
      const refused = await keep("customer").catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Overload);
      expect(refused).toMatchObject({ bound: "files", count });
    }
    await keep("agent");
    clock.leap(24 * 3_600_000);
    await expect(keep("customer")).rejects.toThrow(Overload);
    expect((await rows("kept_sum")).map(({ bytes }) => Number(bytes))).toEqual([27_000]);
    await change("DELETE FROM kept_file");
    expect(await rows("kept_sum")).toEqual([]);
    await keep("customer");
  });
});
