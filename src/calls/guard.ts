import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** SSRF guard: allows https to public addresses, plus loopback where enabled. */
export interface Guard {
  /** What is wrong with the URL, or undefined. IP literals are checked here, since they never reach `lookup`. */
  fault(url: URL): string | undefined;
  /** For the socket: checks every address the name resolves to, at connect time. */
  lookup: LookupFunction;
}

/** For a system that the operator names in a setting, wherever it is: this origin, and nothing else. */
export const onlyTo = (origin: string): Guard => ({
  fault: (url) => (url.origin === origin && !url.username && !url.password ? undefined : "another address"),
  lookup: systemLookup,
});

export class BlockedAddress extends Error {
  readonly code = "EBLOCKED";
  constructor(host: string) {
    super(`${host} is not a public address`);
    this.name = "BlockedAddress";
  }
}

/** Non-public ranges (IANA special-purpose registries). */
const IPV4: [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
/** The only IPv6 space in public use; loopback, ULA, link-local, mapped and NAT64 lie outside it. */
const GLOBAL_IPV6: [string, number] = ["2000::", 3];
/** Non-public ranges within it; Teredo and 6to4 embed an IPv4 address. */
const IPV6: [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const forbidden = new BlockList();
for (const [net, bits] of IPV4) forbidden.addSubnet(net, bits, "ipv4");
for (const [net, bits] of IPV6) forbidden.addSubnet(net, bits, "ipv6");
const globalIpv6 = new BlockList();
globalIpv6.addSubnet(...GLOBAL_IPV6, "ipv6");

const isLoopback = (address: string) => address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
const within = (list: BlockList, address: string) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
const isPublic = (address: string) =>
  (isIP(address) === 4 || (isIP(address) === 6 && within(globalIpv6, address))) && !within(forbidden, address);

export function createGuard(allowLoopback: boolean, resolve: typeof systemLookup = systemLookup): Guard {
  const allowed = (address: string) => isPublic(address) || (allowLoopback && isLoopback(address));
  return {
    fault(url) {
      const host = url.hostname.replace(/^\[|\]$/g, "");
      const local = allowLoopback && (host === "localhost" || isLoopback(host));
      if (url.username || url.password) return "an address with a user name";
      if (local) return /^https?:$/.test(url.protocol) ? undefined : `the protocol ${url.protocol}`;
      if (url.protocol !== "https:") return `the protocol ${url.protocol} instead of https`;
      if (url.port) return `the port ${url.port}`;
      if (isIP(host) && !allowed(host)) return `${host} is not a public address`;
      return undefined;
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error) return callback(error, "");
        const addresses = Array.isArray(found) ? found : [found];
        if (addresses.length === 0 || !addresses.every(({ address }) => allowed(address)))
          return callback(new BlockedAddress(hostname) as NodeJS.ErrnoException, "");
        if (options.all) return callback(null, addresses);
        const [first] = addresses;
        callback(null, first?.address ?? "", first?.family);
      });
    },
  };
}
