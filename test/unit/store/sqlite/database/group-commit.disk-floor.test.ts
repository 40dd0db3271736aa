import { statfsSync } from "node:fs";
import type { ChannelId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { type Bounds, DEFAULT_BOUNDS } from "../../../../../src/domain/delivery.ts";
import { openDatabase } from "../../../../../src/store/sqlite/database/db.ts";
import type { Store } from "../../../../../src/store/store.ts";
import { customerSays } from "../../../../support/events.ts";
import { boundOf } from "../../../../support/overload.ts";
import { roomFor } from "../../../../support/room.ts";
import { rowsOf } from "../../../../support/rows.ts";
import { addAccount, addChannel, diskOf, oneChannel, takeLease, temporaryFolder } from "../../../../support/store.ts";

async function setUp(bounds: Partial<Bounds>) {
  const { clock, folder, store, account, channel } = await oneChannel({ bounds });
  const lease = await takeLease(store, account.id, "test");
  const claim = (most = 50) => store.outbox.claim(lease, roomFor(most));
  const say = (id: string, chat = id) => store.outbox.acceptInbound(channel, { events: [customerSays(id, id, chat)] });
  return { clock, folder, store, account, channel, claim, say };
}

describe("the floor of free space and the quotas of files", () => {
  it("refuse everything, files too, once a check finds the disk below its floor", async () => {
    const { store, channel, say } = await setUp({ diskFloor: Number.MAX_SAFE_INTEGER });
    const keep = () =>
      store.keptFiles.keep(
        channel.id,
        { body: new Blob(["x"]).stream(), mediaType: "text/plain" },
        9,
        () => new Error("too large"),
      );
    expect(await boundOf(say("a"))).toBe("taken");
    expect(await diskOf(store).check()).toMatchObject({ belowFloor: true });
    expect([await boundOf(say("b")), await boundOf(keep())]).toEqual(["disk", "disk"]);
  });

  it("limit a channel's files per day and in total, with a higher limit for agents", async () => {
    const files = { customer: { day: 8_192, all: 12_288 }, agent: { day: Number.POSITIVE_INFINITY, all: 16_384 } };
    const { clock, folder, store, channel } = await setUp({ files });
    const other = await addChannel(store, await addAccount(store, "other"));
    const keep = (uploader: "customer" | "agent", { id } = channel) => {
      const file = { body: new Blob(["x".repeat(10)]).stream(), mediaType: "text/plain" };
      return boundOf(store.keptFiles.keep(id, file, 99, () => new Error("too large"), { uploader }));
    };
    const sums = () => rowsOf(folder, ["kept_sum"]).kept_sum?.map(({ bytes }) => bytes);
    // A small file counts as 4 KiB.
    expect([await keep("customer"), await keep("customer"), await keep("customer")]).toEqual([
      "taken",
      "taken",
      "files",
    ]);
    expect([await keep("agent"), await keep("customer", other)]).toEqual(["taken", "taken"]);
    await clock.forward(86_400_000);
    expect([await keep("customer"), await keep("agent"), await keep("agent")]).toEqual(["files", "taken", "files"]);
    expect(sums()?.sort()).toEqual([12_288, 4_096, 4_096]);
    const swept = await store.retention.sweep("files", clock.now() - 1, new Map(), 0);
    expect([swept.deleted, sums()]).toEqual([4, [4_096]]);
    expect(await keep("customer")).toBe("taken");
  });

  it("refuse files at twice the floor, with those kept since the last check, and still accept messages", async () => {
    const folder = temporaryFolder();
    const { bavail, bsize } = statfsSync(folder);
    const keepIn = (store: Store, { id }: { id: ChannelId }, size: number) => {
      const body = new Blob(["x".repeat(size)]).stream();
      return boundOf(store.keptFiles.keep(id, { body, mediaType: "text/plain" }, size, () => new Error("too large")));
    };
    const half = await setUp({ diskFloor: Math.floor(bavail * bsize * 0.75) });
    expect(await diskOf(half.store).check()).toMatchObject({ belowFloor: false });
    expect([await keepIn(half.store, half.channel, 1), await boundOf(half.say("a"))]).toEqual(["disk", "taken"]);
    const { disk, close } = openDatabase(folder, { bounds: { ...DEFAULT_BOUNDS, diskFloor: 1 } });
    await disk.check();
    const admit = async () => disk.admitFile();
    disk.fileAdded(bavail * bsize * 2);
    expect(await boundOf(admit())).toBe("disk");
    await disk.check();
    expect(await boundOf(admit())).toBe("taken");
    close();
  });
});
