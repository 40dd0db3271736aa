import { createSocket } from "node:dgram";
import { type LookupAddress, lookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNames, type Resolve } from "../../../src/calls/names.ts";
import { createGuard } from "../../../src/calls/outgoing.ts";
import { handClock } from "../../support/clock.ts";
import { until } from "../../support/until.ts";

const REFUSALS: Record<string, number> = { "broken.test": 2, "unknown.test": 3 };
/** Addresses of type A, in hex. */
const FOUND: Record<string, string> = { "shop.test": "5db8d822", "inside.test": "0a000001" };

/** A name server (RFC 1035): silent for `*.silent.test`, no AAAA for any name. */
async function nameServer() {
  const asked: string[] = [];
  const socket = createSocket("udp4", (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; at += length + 1, length = query[at] ?? 0)
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
    const name = labels.join(".").toLowerCase();
    const isA = query[at + 2] === 1;
    if (isA) asked.push(name);
    if (name.endsWith(".silent.test")) return;
    const address = (isA && FOUND[name]) || "";
    const header = Buffer.from([0x81, 0x80 | (REFUSALS[name] ?? 0), 0, 1, 0, address ? 1 : 0, 0, 0, 0, 0]);
    const record = Buffer.from(address && `c00c00010001000000000004${address}`, "hex");
    const answer = Buffer.concat([query.subarray(0, 2), header, query.subarray(12, at + 5), record]);
    socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
  onTestFinished(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

interface Options {
  system?: Resolve;
  hosts?: string;
  /** DNS gives up after a quarter of a second, its least; else after many. */
  impatient?: boolean;
}

async function openNames({ system, hosts = "", impatient }: Options = {}) {
  const server = await nameServer();
  const folder = mkdtempSync(join(tmpdir(), "gangway-names-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hostsFile = join(folder, "hosts");
  writeFileSync(hostsFile, hosts);
  const clock = handClock();
  const bySystem: string[] = [];
  const resolve = createNames({
    dns: () => {
      const dns = new Resolver(impatient ? { timeout: 1, tries: 1 } : { timeout: 5_000, tries: 4 });
      dns.setServers([server.address]);
      onTestFinished(() => dns.cancel());
      return dns;
    },
    system(name, options, done) {
      bySystem.push(name);
      if (system) system(name, options, done);
      else done(Object.assign(new Error(name), { code: "ENOTFOUND" }), []);
    },
    ...{ hostsFile, clock },
  });
  const find = (name: string) =>
    new Promise<LookupAddress[] | string | undefined>((done) => {
      resolve(name, { all: true }, (error, found) => done(error ? error.code : found));
    });
  return { ...{ resolve, find, clock, hostsFile, bySystem }, asked: server.asked };
}

const SHOP = [{ address: "93.184.216.34", family: 4 }];

describe("the address of a name", () => {
  it("is found while 200 names of a silent name server are still open, and none of them holds a thread", async () => {
    const { find, asked, bySystem } = await openNames();
    let ended = 0;
    for (let n = 1; n <= 200; n++) {
      void find(`a${n}.silent.test`).then(() => ended++);
      // More at once may overflow the server's socket.
      if (n % 50 === 0) await until("the server was asked for all", () => new Set(asked).size === n);
    }
    expect(await find("shop.test")).toEqual(SHOP);
    expect(ended).toBe(0);
    expect(bySystem).toEqual([]);
  });

  it.each(["a.silent.test", "broken.test"])("is not asked of the system where DNS fails: %s", async (name) => {
    const { find, bySystem } = await openNames({ impatient: true });
    expect(await find(name)).toBe("EAI_AGAIN");
    expect(bySystem).toEqual([]);
  });

  it.each(["unknown.test", "no-address.test", `${"a".repeat(64)}.test`, "intranet"])(
    "comes from elsewhere where DNS has none: %s",
    async (name) => {
      const { find, bySystem } = await openNames({ system: (_, __, done) => done(null, SHOP) });
      expect(await find(name)).toEqual(SHOP);
      expect(bySystem).toEqual([name]);
    },
  );

  it("does not exist if the system does not know it either", async () => {
    const { find } = await openNames();
    expect(await find("unknown.test")).toBe("ENOTFOUND");
  });

  it("is asked once for all who want it meanwhile, and again afterwards", async () => {
    const { find, asked } = await openNames();
    expect(await Promise.all([find("shop.test"), find("shop.test")])).toEqual([SHOP, SHOP]);
    expect(asked).toEqual(["shop.test"]);
    await find("shop.test");
    expect(asked).toEqual(["shop.test", "shop.test"]);
  });

  it("is the hosts file's, without DNS, and a changed file counts after five seconds", async () => {
    const hosts = "# 127.0.0.1 shop.test\n192.0.2.7\tOther.test alias # more\r\n";
    const { find, asked, bySystem, clock, hostsFile } = await openNames({
      ...{ hosts, system: (_, __, done) => done(null, [{ address: "192.0.2.7", family: 4 }]) },
    });
    for (const name of ["other.test", "OTHER.test.", "alias"])
      expect(await find(name)).toMatchObject([{ address: "192.0.2.7" }]);
    expect(bySystem).toHaveLength(3);
    expect(await find("shop.test")).toEqual(SHOP);
    writeFileSync(hostsFile, "192.0.2.7 shop.test");
    expect(await find("shop.test")).toEqual(SHOP);
    clock.leap(5_000);
    expect(await find("shop.test")).toMatchObject([{ address: "192.0.2.7" }]);
    expect(asked).toEqual(["shop.test", "shop.test"]);
  });

  it("of this machine, and a number, is never asked of DNS", async () => {
    const { find, asked } = await openNames({ system: lookup });
    expect(await find("127.0.0.1")).toEqual([{ address: "127.0.0.1", family: 4 }]);
    expect(await find("localhost")).toContainEqual({ address: "127.0.0.1", family: 4 });
    expect(asked).toEqual([]);
  });
});

describe("a name that the system is asked for", () => {
  /** Answers only when told to. */
  function slowSystem() {
    const waiting = new Map<string, () => void>();
    const system: Resolve = (name, _, done) => void waiting.set(name, () => done(null, SHOP));
    return { waiting, system };
  }

  it("holds one thread with all others like it, and none that the hosts file has", async () => {
    const { waiting, system } = slowSystem();
    const { find, bySystem } = await openNames({ system, hosts: "192.0.2.7 shop.test" });
    const found = ["one", "two"].map(find);
    const ofHosts = find("shop.test");
    await until("the system was asked", () => waiting.size === 2);
    expect(bySystem.toSorted()).toEqual(["one", "shop.test"]);
    waiting.get("shop.test")?.();
    expect(await ofHosts).toEqual(SHOP);
    waiting.get("one")?.();
    await until("the next is asked", () => waiting.has("two"));
    waiting.get("two")?.();
    expect(await Promise.all(found)).toEqual([SHOP, SHOP]);
  });

  it("is not asked for any more once its call has given up", async () => {
    const { waiting, system } = slowSystem();
    const { find, bySystem, clock } = await openNames({ system });
    const [first, late] = [find("one"), find("two")];
    await until("the system was asked", () => waiting.has("one"));
    clock.leap(3_001);
    waiting.get("one")?.();
    expect(await first).toEqual(SHOP);
    expect(await late).toBe("EAI_AGAIN");
    expect(bySystem).toEqual(["one"]);
  });
});

describe("the guard", () => {
  it("judges what DNS answers, and hands on exactly that", async () => {
    const { resolve } = await openNames();
    const guard = createGuard(false, resolve);
    const ask = (name: string) =>
      new Promise((done) => guard.lookup(name, { all: true }, (error, found) => done(error?.name ?? found)));
    expect(await ask("shop.test")).toEqual(SHOP);
    expect(await ask("inside.test")).toBe("BlockedAddress");
  });

  it("asks DNS without a thread where nothing else is said", () => {
    createGuard(false).lookup("gangway.invalid", { all: true }, () => {});
    expect(process.getActiveResourcesInfo()).not.toContain("GetAddrInfoReqWrap");
  });
});
