import type { CustomerId } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Gateway } from "../../../../src/gateway/client.ts";
import { avatarOf } from "../../../../src/relay/deliver/uploads.ts";
import { fileOf } from "../../../support/channel-context.ts";
import { oneChannel } from "../../../support/store.ts";

const DAY_MS = 24 * 3_600_000;

async function setUp() {
  const { clock, store, channel } = await oneChannel();
  const picture: { version?: string; broken?: boolean; dripping?: boolean; bytes?: string } = { version: "v1" };
  const done: string[] = [];
  const find = async () => {
    done.push("find");
    if (picture.broken) throw new Error("away");
    return picture.version ? { version: picture.version, ref: `ref-${picture.version}` } : undefined;
  };
  const session = {
    avatars: { find },
    files: { open: async (ref: string) => fileOf(picture.bytes ?? ref) },
  } as unknown as ChannelSession;
  const gateway = {
    uploadFile: async ({ body }: { body: ReadableStream }, signal: AbortSignal) => {
      done.push("upload");
      if (picture.dripping) await new Promise((_, reject) => signal.addEventListener("abort", reject));
      return new Response(body).text();
    },
    file: async (id: string) => ({ url: `https://gateway.example/${id}` }),
  } as unknown as Gateway;
  const customer = { id: "7" as CustomerId, nickname: "Robin", hasAvatar: true };
  const ask = (of = customer, stop = new AbortController().signal) =>
    avatarOf({ store, clock }, { channel, gateway }, session, of, stop);
  return { clock, picture, done, ask };
}

describe("a customer's picture", () => {
  it("is uploaded once, and checked again after a day", async () => {
    const { clock, picture, done, ask } = await setUp();
    expect(await ask()).toBe("https://gateway.example/ref-v1");
    expect(await ask()).toBe("https://gateway.example/ref-v1");
    expect(done).toEqual(["find", "upload"]);
    await clock.forward(DAY_MS);
    expect(await ask()).toBe("https://gateway.example/ref-v1");
    expect(done).toEqual(["find", "upload", "find"]);
    picture.version = "v2";
    await clock.forward(DAY_MS);
    expect(await ask()).toBe("https://gateway.example/ref-v2");
  });

  it("is not requested with every message if there is none", async () => {
    const { picture, done, ask } = await setUp();
    picture.version = undefined;
    expect([await ask(), await ask()]).toEqual([undefined, undefined]);
    expect(done).toEqual(["find"]);
  });

  it("never delays a message when it cannot be fetched: the last known one stays", async () => {
    const { clock, picture, ask } = await setUp();
    await ask();
    picture.broken = true;
    await clock.forward(DAY_MS);
    expect(await ask()).toBe("https://gateway.example/ref-v1");
  });

  it("that drips delays one message by seconds, and none in the next ten minutes", async () => {
    const { clock, picture, done, ask } = await setUp();
    picture.dripping = true;
    const first = ask();
    await clock.forward(5_000);
    expect(await first).toBeUndefined();
    expect([await ask(), await ask()]).toEqual([undefined, undefined]);
    expect(done).toEqual(["find", "upload"]);
    picture.dripping = false;
    await clock.forward(10 * 60_000);
    expect(await ask()).toBe("https://gateway.example/ref-v1");
  });

  it("is requested again at once after a failure caused by the server's stop", async () => {
    const { clock, picture, ask } = await setUp();
    picture.dripping = true;
    const stop = new AbortController();
    const first = ask(undefined, stop.signal);
    await clock.forward(0);
    stop.abort();
    expect(await first).toBeUndefined();
    picture.dripping = false;
    expect(await ask()).toBe("https://gateway.example/ref-v1");
  });

  it("that is far too large is not passed on", async () => {
    const { picture, done, ask } = await setUp();
    picture.bytes = "x".repeat(512 * 1024 + 1);
    expect([await ask(), await ask()]).toEqual([undefined, undefined]);
    expect(done).toEqual(["find", "upload"]);
  });
});
