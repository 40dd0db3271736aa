import { once } from "node:events";
import { connect, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseProxies } from "../../../../src/domain/proxies.ts";
import {
  listen,
  SOCKET_LIMITS,
  Sockets,
  type SocketsOptions,
  socketLimits,
} from "../../../../src/http/serving/listening.ts";
import { until } from "../../../support/until.ts";

/** A server that answers at once (`/wait`: when the test ends), with real sockets from several addresses. */
async function served(options: SocketsOptions) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const at = { port: 0, hostname: "127.0.0.1" };
  const server = listen(
    async ({ url }) => {
      if (url.endsWith("/wait")) await released;
      return new Response("here");
    },
    at,
    options,
  );
  await once(server, "listening");
  onTestFinished(() => {
    release();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  /** Connects from this address and requests `path` at once. */
  const open = async (localAddress: string, path?: string) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    onTestFinished(() => void socket.destroy());
    const state = { isOpen: true, said: "" };
    socket.on("error", () => {});
    socket.on("close", () => Object.assign(state, { isOpen: false }));
    socket.on("data", (bytes) => Object.assign(state, { said: state.said + String(bytes) }));
    const taken = once(server, "connection");
    if (path) socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await taken;
    if (path === "/wait") await once(server, "request");
    return state;
  };
  const openMany = async (count: number, localAddress: string, path?: string) => {
    const all: Awaited<ReturnType<typeof open>>[] = [];
    for (let n = 0; n < count; n++) all.push(await open(localAddress, path));
    return all;
  };
  const isServed = async (localAddress: string) => {
    const state = await open(localAddress, "/");
    await until("an answer or the end", () => state.said !== "" || !state.isOpen);
    return state.said.includes("here");
  };
  return { open, openMany, isServed };
}
const states = (sockets: { isOpen: boolean }[]) => sockets.map(({ isOpen }) => (isOpen ? "o" : "-")).join("");

describe("the sockets of one address", () => {
  it("have a share of all that the server holds", () => {
    expect(SOCKET_LIMITS.perAddress).toBeLessThanOrEqual(SOCKET_LIMITS.all / 10);
  });

  it("are as many for webhooks and pages however many streams are allowed", () => {
    expect([100, 4_000, 10_000].map((streams) => socketLimits(streams).all)).toEqual([10_000, 10_000, 16_000]);
  });

  it("beyond the share close their own idle ones, oldest first, and leave the server to others", async () => {
    const site = await served({ limits: { all: 20, perAddress: 5 } });
    const many = await site.openMany(30, "127.0.0.1");
    await until("the surplus to be closed", () => states(many) === "-".repeat(25) + "o".repeat(5));
    expect(await site.isServed("127.0.0.2")).toBe(true);
    expect(await site.isServed("127.0.0.1")).toBe(true);
  });

  it("are idle again after an answer, in the order in which they were answered", async () => {
    const site = await served({ limits: { all: 20, perAddress: 3 } });
    const [first, second] = [await site.open("127.0.0.1", "/"), await site.open("127.0.0.1")];
    await until("the answer", () => first.said.includes("here"));
    const later = await site.openMany(2, "127.0.0.1");
    await until("the silent one's end", () => !second.isOpen);
    expect(first.isOpen).toBe(true);
    later.push(await site.open("127.0.0.1"));
    await until("the answered one's end", () => !first.isOpen);
    expect(states(later)).toBe("ooo");
  });

  it("that are all busy stay, and a new one is refused", async () => {
    const site = await served({ limits: { all: 20, perAddress: 5 } });
    const busy = await site.openMany(5, "127.0.0.1", "/wait");
    expect(await site.isServed("127.0.0.1")).toBe(false);
    expect(states(busy)).toBe("ooooo");
    expect(await site.isServed("127.0.0.2")).toBe(true);
  });

  it("are not counted by a trusted proxy's own address", async () => {
    const site = await served({ limits: { all: 20, perAddress: 5 }, proxies: parseProxies("127.0.0.1") });
    const proxied = await site.openMany(12, "127.0.0.1", "/wait");
    const direct = await site.openMany(6, "127.0.0.2");
    await until("the surplus to be closed", () => states(direct) === "-ooooo");
    expect(states(proxied)).toBe("o".repeat(12));
  });

  it("have no share when TRUSTED_PROXIES covers every socket", async () => {
    const site = await served({ limits: { all: 20, perAddress: 5 }, proxies: parseProxies("1") });
    expect(states(await site.openMany(12, "127.0.0.1"))).toBe("o".repeat(12));
  });

  it("are counted by network where it is an IPv6 address", () => {
    const sockets = new Sockets({ limits: { all: 20, perAddress: 2 } });
    const from = (remoteAddress: string) => {
      const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: remoteAddress });
      sockets.admit(socket);
      return socket;
    };
    const one = ["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1:ffff::3"].map(from);
    const other = ["2001:db8:0:2::1", "::ffff:192.0.2.1"].map(from);
    expect([...one, ...other].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false, false]);
  });
});

describe("a newcomer to a full server", () => {
  it("replaces the oldest idle socket of the address that holds most", async () => {
    const told: [string, number][] = [];
    const onPressure = (...said: [string, number]) => void told.push(said);
    const site = await served({ limits: { all: 10, perAddress: 6 }, onPressure });
    const few = await site.openMany(4, "127.0.0.1");
    const busy = await site.openMany(1, "127.0.0.2", "/wait");
    const most = await site.openMany(5, "127.0.0.2");
    for (const n of [3, 4]) expect(await site.isServed(`127.0.0.${n}`)).toBe(true);
    await until("the oldest to be closed", () => states(most) === "--ooo");
    expect(states([...few, ...busy])).toBe("ooooo");
    expect(told).toEqual([
      ["127.0.0.2", 1],
      ["127.0.0.2", 2],
    ]);
  });

  it("replaces the oldest socket of the address that holds most when none is idle", async () => {
    const site = await served({ limits: { all: 8, perAddress: 6 } });
    const few = await site.openMany(2, "127.0.0.1", "/wait");
    const most = await site.openMany(6, "127.0.0.2", "/wait");
    expect(await site.isServed("127.0.0.3")).toBe(true);
    await until("the oldest to be cut", () => states(most) === "-ooooo");
    expect(states(few)).toBe("oo");
  });

  it("is refused when no address is busier than its own would be", async () => {
    const site = await served({ limits: { all: 4, perAddress: 4 } });
    const busy = await site.openMany(2, "127.0.0.1", "/wait");
    const mine = await site.openMany(2, "127.0.0.2", "/wait");
    expect(await site.isServed("127.0.0.2")).toBe(false);
    expect(states([...busy, ...mine])).toBe("oooo");
  });

  it("is refused when it would only take another's only one", async () => {
    const site = await served({ limits: { all: 2, perAddress: 2 } });
    const busy = [await site.open("127.0.0.1", "/wait"), await site.open("127.0.0.2", "/wait")];
    expect(await site.isServed("127.0.0.3")).toBe(false);
    expect(states(busy)).toBe("oo");
  });

  it("cuts no running request of a trusted proxy", async () => {
    const site = await served({ limits: { all: 6, perAddress: 6 }, proxies: parseProxies("127.0.0.1") });
    const proxied = await site.openMany(6, "127.0.0.1", "/wait");
    expect(await site.isServed("127.0.0.2")).toBe(false);
    expect(states(proxied)).toBe("oooooo");
  });
});
