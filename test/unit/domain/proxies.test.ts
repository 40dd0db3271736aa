import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { clientAddresses, NO_PROXIES, parseProxies } from "../../../src/domain/proxies.ts";

const seen = (setting: string, socket: string | undefined, forwarded?: string) =>
  clientAddresses(parseProxies(setting) ?? NO_PROXIES)(socket, forwarded);

describe("the client's address", () => {
  it("is the socket's, whatever a header says, while no proxy is trusted", () => {
    const address = clientAddresses(NO_PROXIES);
    for (const forwarded of [undefined, "198.51.100.1", "127.0.0.1, 198.51.100.1", "", "x", ",".repeat(5_000)])
      expect(address("203.0.113.9", forwarded)).toBe("203.0.113.9");
    expect(address("::ffff:203.0.113.9", "1.1.1.1")).toBe("203.0.113.9");
    expect(address(undefined, undefined)).toBe("unknown");
  });

  it("is what the trusted number of proxies state, not what their clients claim", () => {
    expect(seen("1", "10.0.0.1", "198.51.100.7")).toBe("198.51.100.7");
    expect(seen("1", "10.0.0.1", "6.6.6.6, 198.51.100.7")).toBe("198.51.100.7");
    expect(seen("2", "10.0.0.1", "6.6.6.6, 198.51.100.7, 10.0.0.2")).toBe("198.51.100.7");
    expect(seen("2", "10.0.0.1", "10.0.0.2")).toBe("10.0.0.2");
    expect(seen("1", "10.0.0.1")).toBe("10.0.0.1");
  });

  it("is the nearest one outside the trusted networks", () => {
    const networks = "10.0.0.0/8, fd00::/8,192.0.2.1";
    expect(seen(networks, "10.0.0.1", "6.6.6.6, 198.51.100.7, 10.9.9.9")).toBe("198.51.100.7");
    expect(seen(networks, "203.0.113.9", "6.6.6.6")).toBe("203.0.113.9");
    expect(seen(networks, "fd00::1", "[2001:db8::7]:4711, 192.0.2.1")).toBe("2001:db8:0:0::/64");
    expect(seen(networks, "::ffff:10.0.0.1", "198.51.100.7:80")).toBe("198.51.100.7");
    expect(seen(networks, "10.0.0.1", "10.0.0.2, 10.0.0.3")).toBe("10.0.0.2");
  });

  it.each([
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:0:0:0:9", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["fe80::2%eth1", "fe80:0:0:0::/64"],
    ["64:ff9b::198.51.100.7", "64:ff9b:0:0::/64"],
    ["64:ff9b:0:0:0:0:198.51.100.7", "64:ff9b:0:0::/64"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["::ffff:c633:6407", "198.51.100.7"],
    ["0:0:0:0:0:FFFF:c633:6407", "198.51.100.7"],
    ["0:0:0:0:0:ffff:198.51.100.7", "198.51.100.7"],
    ["::ffff:0:198.51.100.7", "0:0:0:0::/64"],
  ])("is counted by its /64 network if it is IPv6: %s", (address, counted) => {
    expect(seen("1", "10.0.0.1", address)).toBe(counted);
    if (!address.startsWith("[")) expect(seen("0", address)).toBe(counted);
  });

  it("is matched against the trusted networks in full, before the reduction to its /64", () => {
    expect(seen("2001:db8::7", "2001:db8::7", "198.51.100.7")).toBe("198.51.100.7");
    expect(seen("2001:db8::7", "2001:db8::8", "198.51.100.7")).toBe("2001:db8:0:0::/64");
    expect(seen("10.0.0.0/8", "::ffff:a00:1", "198.51.100.7")).toBe("198.51.100.7");
  });

  it.each(["unknown", "_hidden", "", "198.51.100.7.evil", "<script>"])(
    "is that of the nearest proxy if the proxy forwards no valid address: %j",
    (forwarded) => expect(seen("1", "10.0.0.1", forwarded)).toBe("10.0.0.1"),
  );

  it.each(["", "two", "10.0.0.0/33", "fd00::/129", "10.0.0.0/x", "-1", "example.com", "10", "10.0.0.1/"])(
    "cannot be set by %j",
    (setting) => {
      expect(parseProxies(setting)).toBeUndefined();
      if (setting)
        expect(() => readConfig({ SANDBOX: "1", TRUSTED_PROXIES: setting }, [])).toThrow(/TRUSTED_PROXIES should/);
    },
  );

  it("is configured in the environment; by default no proxy is trusted", () => {
    expect(readConfig({ SANDBOX: "1" }, []).trustedProxies).toBeUndefined();
    expect(clientAddresses(undefined)("203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
    expect(readConfig({ SANDBOX: "1", TRUSTED_PROXIES: "0" }, []).trustedProxies).toEqual(NO_PROXIES);
    expect(readConfig({ SANDBOX: "1", TRUSTED_PROXIES: "1" }, []).trustedProxies).toEqual({ hops: 1, networks: [] });
    expect(readConfig({ SANDBOX: "1", TRUSTED_PROXIES: "10.0.0.0/8,::1" }, []).trustedProxies?.networks).toHaveLength(
      2,
    );
  });
});
