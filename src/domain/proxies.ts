import { BlockList, isIP } from "node:net";

/** Which proxies are trusted to state the client's address: how many stand before this server, or their networks. */
export interface Proxies {
  hops: number;
  /** In CIDR notation, such as `10.0.0.0/8`. */
  networks: string[];
}

export const NO_PROXIES: Proxies = { hops: 0, networks: [] };

/** The fault if PUBLIC_URL is https, which this server does not speak, and no proxy is configured. */
export function missingProxies(
  publicUrl: string,
  proxies: Proxies | undefined,
): { seen: string; todo: string } | undefined {
  if (proxies || !publicUrl.startsWith("https:")) return undefined;
  return {
    seen: "not set although PUBLIC_URL is https: all clients behind the TLS proxy share the limits of one address",
    todo: "set TRUSTED_PROXIES to the number of proxies before this server, or to their networks; 0 if there is none",
  };
}

/** Undefined if it is neither a number of proxies nor a list of networks. */
export function parseProxies(text: string): Proxies | undefined {
  if (/^\d$/.test(text.trim())) return { hops: Number(text), networks: [] };
  const networks = text.split(",").map((network) => network.trim());
  return networks.every((network) => parseNetwork(network) !== undefined) ? { hops: 0, networks } : undefined;
}

function parseNetwork(network: string): { address: string; bits: number; type: "ipv4" | "ipv6" } | undefined {
  const [address = "", length] = network.split("/");
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (family === 0 || !(bits <= most)) return undefined;
  return { address, bits, type: family === 4 ? "ipv4" : "ipv6" };
}

/**
 * The client's address for rate limits: the socket's, or what trusted proxies wrote into `X-Forwarded-For`. An IPv6
 * address is reduced to its /64, such as `2001:db8:0:1::/64`, which belongs to one customer.
 */
export type ClientAddress = (socket: string | undefined, forwarded: string | undefined) => string;

export function clientAddresses({ hops, networks }: Proxies = NO_PROXIES): ClientAddress {
  const isTrusted = networkMatcher(networks);
  return (socket, forwarded) => {
    let known = normalize(socket ?? "") ?? "unknown";
    // Nearest first: each proxy appends its client's address; anything before that may be forged.
    const entries = (forwarded ?? "").split(",").slice(-MAX_PROXIES).reverse();
    for (const [n, entry] of entries.entries()) {
      const next = normalize(entry);
      if (!next || (networks.length > 0 ? !isTrusted(known) : n >= hops)) break;
      known = next;
    }
    return isIP(known) === 6 ? networkOf(known) : known;
  };
}

/** Whether a socket's peer is a trusted proxy: many clients share its address. */
export function proxySockets({ hops, networks }: Proxies = NO_PROXIES): (socket: string | undefined) => boolean {
  const isTrusted = networkMatcher(networks);
  return (socket) => (networks.length > 0 ? isTrusted(normalize(socket ?? "") ?? "") : hops > 0);
}

function networkMatcher(networks: string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const { address, bits, type } = parseNetwork(network) ?? { address: "", bits: 0, type: "ipv4" as const };
    list.addSubnet(address, bits, type);
  }
  return (address) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** Maximum number of proxies followed. */
const MAX_PROXIES = 10;

/** Strips port, brackets and zone; an IPv4-mapped address becomes IPv4. */
function normalize(entry: string): string | undefined {
  const text = entry.trim().toLowerCase();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/^::ffff:(?=\d+\.)/, "").replace(/%.*$/, "");
  const family = isIP(address);
  return family === 6 ? unmapped(address) : family === 4 ? address : undefined;
}

/** An IPv4-mapped IPv6 address, in any spelling, as IPv4. */
function unmapped(address: string): string {
  if (!address.includes("ffff:")) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return address;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

const networkOf = (address: string): string =>
  `${groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [first = [], last = []] = address.split("::").map(groupsIn);
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

const groupsIn = (part: string): number[] =>
  part
    .split(":")
    .filter(Boolean)
    .flatMap((group) => {
      const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
      return group.includes(".") ? [a * 256 + b, c * 256 + d] : [Number.parseInt(group, 16)];
    });
