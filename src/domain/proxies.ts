import { BlockList, isIP } from "node:net";

/** Whose word is taken for where a request came from: as many proxies as stand before this server, or their networks. */
export interface Proxies {
  hops: number;
  /** As `10.0.0.0/8`. */
  networks: string[];
}

export const NO_PROXIES: Proxies = { hops: 0, networks: [] };

/** What is wrong where the world comes by https, which this server does not speak, and nobody says through whom. */
export function unsaidProxies(
  publicUrl: string,
  proxies: Proxies | undefined,
): { seen: string; todo: string } | undefined {
  if (proxies || !publicUrl.startsWith("https:")) return undefined;
  return {
    seen: "not set, while PUBLIC_URL is https: everybody behind the TLS proxy shares the tries and sockets of one address",
    todo: "set TRUSTED_PROXIES to the number of proxies before this server, or to their networks; 0 if there is none",
  };
}

/** Undefined when it says neither a number of proxies nor their networks. */
export function parseProxies(text: string): Proxies | undefined {
  if (/^\d$/.test(text.trim())) return { hops: Number(text), networks: [] };
  const networks = text.split(",").map((network) => network.trim());
  return networks.every((network) => parts(network) !== undefined) ? { hops: 0, networks } : undefined;
}

function parts(network: string): { address: string; bits: number; type: "ipv4" | "ipv6" } | undefined {
  const [address = "", length] = network.split("/");
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (family === 0 || !(bits <= most)) return undefined;
  return { address, bits, type: family === 4 ? "ipv4" : "ipv6" };
}

/**
 * Who asked, as limits count them: the socket's address, or what trusted proxies have written into `X-Forwarded-For`. Of an
 * IPv6 address the network, as `2001:db8:0:1::/64`, all of which belongs to one customer.
 */
export type ClientAddress = (socket: string | undefined, forwarded: string | undefined) => string;

export function clientAddresses({ hops, networks }: Proxies = NO_PROXIES): ClientAddress {
  const isTrusted = within(networks);
  return (socket, forwarded) => {
    let known = plain(socket ?? "") ?? "unknown";
    // From the nearest on: each proxy adds at the end whom it was asked by, and what stands before may be anybody's word.
    const said = (forwarded ?? "").split(",").slice(-LONGEST_CHAIN).reverse();
    for (const [n, entry] of said.entries()) {
      const next = plain(entry);
      if (!next || (networks.length > 0 ? !isTrusted(known) : n >= hops)) break;
      known = next;
    }
    return isIP(known) === 6 ? networkOf(known) : known;
  };
}

/** Whether a socket's other end is a trusted proxy: many clients share such a socket's address. */
export function proxySockets({ hops, networks }: Proxies = NO_PROXIES): (socket: string | undefined) => boolean {
  const isTrusted = within(networks);
  return (socket) => (networks.length > 0 ? isTrusted(plain(socket ?? "") ?? "") : hops > 0);
}

function within(networks: string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const { address, bits, type } = parts(network) ?? { address: "", bits: 0, type: "ipv4" as const };
    list.addSubnet(address, bits, type);
  }
  return (address) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** Proxies in a row that are followed. */
const LONGEST_CHAIN = 10;

/** An address without port, brackets and zone, an IPv4 address as such. */
function plain(entry: string): string | undefined {
  const text = entry.trim().toLowerCase();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/^::ffff:(?=\d+\.)/, "").replace(/%.*$/, "");
  const family = isIP(address);
  return family === 6 ? mapped(address) : family === 4 ? address : undefined;
}

/** An IPv6 address that stands for an IPv4 one, however it is written, as that one. */
function mapped(address: string): string {
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

/** The eight numbers of an IPv6 address that is right. */
function groupsOf(address: string): number[] {
  const [first = [], last = []] = address.split("::").map(numbers);
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

const numbers = (part: string): number[] =>
  part
    .split(":")
    .filter(Boolean)
    .flatMap((group) => {
      const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
      return group.includes(".") ? [a * 256 + b, c * 256 + d] : [Number.parseInt(group, 16)];
    });
