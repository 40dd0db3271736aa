import { describe, expect, it } from "vitest";
import type { ChannelSession } from "../../src/channels/port.ts";
import type { CustomerId } from "../../src/domain/ids.ts";
import type { Gateway } from "../../src/gateway/client.ts";
import { avatars } from "../../src/relay/avatars.ts";
import { fileOf } from "../support/channel-context.ts";
import { handClock } from "../support/clock.ts";
import { addAccount, addChannel, temporaryStore } from "../support/store.ts";

const DAY_MS = 24 * 3_600_000;

async function setUp() {
  const clock = handClock();
  const store = await temporaryStore(clock);
  const channel = await addChannel(store, await addAccount(store));
  const picture: { version?: string; broken?: boolean } = { version: "v1" };
  const done: string[] = [];
  const find = async () => {
    done.push("find");
    if (picture.broken) throw new Error("away");
    return picture.version ? { version: picture.version, ref: `ref-${picture.version}` } : undefined;
  };
  const session = {
    avatars: { find },
    files: { open: async (ref: string) => fileOf(ref) },
  } as unknown as ChannelSession;
  const gateway = {
    uploadFile: async ({ body }: { body: ReadableStream }) => {
      done.push("upload");
      return new Response(body).text();
    },
    file: async (id: string) => ({ url: `https://gateway.example/${id}` }),
  } as unknown as Gateway;
  const avatarOf = avatars({ store, clock });
  const customer = { id: "7" as CustomerId, nickname: "Robin", hasAvatar: true };
  const ask = (of = customer) =>
    avatarOf({ channelId: channel.id, session, gateway }, of, new AbortController().signal);
  return { clock, picture, done, ask, customer };
}

describe("a customer's picture", () => {
  it("is handed over as bytes once, and looked for again after a day", async () => {
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

  it("that there is none of is not asked for with every message", async () => {
    const { picture, done, ask, customer } = await setUp();
    picture.version = undefined;
    expect([await ask(), await ask()]).toEqual([undefined, undefined]);
    expect(done).toEqual(["find"]);
    expect(await ask({ ...customer, hasAvatar: false })).toBeUndefined();
  });

  it("holds up no message when it cannot be had: the last one known stands", async () => {
    const { clock, picture, ask } = await setUp();
    await ask();
    picture.broken = true;
    await clock.forward(DAY_MS);
    expect(await ask()).toBe("https://gateway.example/ref-v1");
  });
});
