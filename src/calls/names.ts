import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { type Clock, systemClock } from "gangway-messenger/clock";
import { serialByKey, singleFlight } from "gangway-messenger/concurrency";
import { errorCode } from "gangway-messenger/errors";

/** All addresses of a name, as `dns.lookup` gives them. */
export type Resolve = (
  name: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

interface Sources {
  /** Creates a resolver per name: it rereads resolv.conf, and does not learn short timeouts from quick answers. */
  dns?: () => Resolver;
  /** `getaddrinfo`: holds one of the process's few threads until it gives up. */
  system?: Resolve;
  hostsFile?: string;
  clock?: Clock;
}

const DNS = { timeout: 1_000, tries: 2 };
/** How long the hosts file is cached, ms. */
const HOSTS_MS = 5_000;
/** How long a name waits for its turn at `getaddrinfo`, ms; its call has given up by then. */
const PATIENCE_MS = 3_000;
/** DNS answered that it has nothing, or no name server runs: the name may come from elsewhere. */
const NOT_IN_DNS = ["ENOTFOUND", "ENODATA", "EBADNAME", "ECONNREFUSED"];

/**
 * Queries DNS without a thread, so that names with silent servers block no others. `getaddrinfo` resolves names of the
 * hosts file and, one at a time, names without a dot or unknown to DNS. Fails with ENOTFOUND, or EAI_AGAIN if DNS did
 * not answer.
 */
export function createNames(sources: Sources = {}): Resolve {
  const {
    dns = () => new Resolver(DNS),
    system = systemLookup,
    hostsFile = "/etc/hosts",
    clock = systemClock,
  } = sources;
  const once = singleFlight<LookupAddress[]>();
  const inTurn = serialByKey();
  const hosts = hostNames(hostsFile, clock);
  const bySystem = (name: string, options: LookupAllOptions) =>
    new Promise<LookupAddress[]>((resolve, reject) => {
      system(name, options, (error, found) => (error ? reject(error) : resolve(found)));
    });
  // One at a time: the name server may be silent now.
  const elsewhere = (name: string, options: LookupAllOptions) => {
    const since = clock.monotonic();
    return inTurn("", async () => {
      if (clock.monotonic() - since > PATIENCE_MS) throw unanswered(name);
      return bySystem(name, options);
    });
  };
  const find = async (name: string, options: LookupAllOptions) => {
    const plain = name.toLowerCase().replace(/\.$/, "");
    if (isIP(name) || plain === "localhost" || hosts().has(plain)) return bySystem(name, options);
    const found = plain.includes(".") ? await askDns(dns(), name) : [];
    return found.length > 0 ? found : elsewhere(name, options);
  };
  return (name, options, done) => {
    once(name, () => find(name, options)).then(
      (found) => done(null, found),
      (error) => done(error, []),
    );
  };
}

/** In the order to try them; empty if DNS does not know the name. */
async function askDns(dns: Resolver, name: string): Promise<LookupAddress[]> {
  const answers = await Promise.allSettled(
    families().map(async (family) => {
      const addresses = await (family === 4 ? dns.resolve4(name) : dns.resolve6(name));
      return addresses.map((address) => ({ address, family }));
    }),
  );
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const isAnswered = answers.every(
    (answer) => answer.status === "fulfilled" || NOT_IN_DNS.includes(errorCode(answer.reason) ?? ""),
  );
  if (found.length === 0 && !isAnswered) throw unanswered(name);
  return found;
}

/** Address families this machine has (AI_ADDRCONFIG); IPv6 first if its address is public (RFC 6724). */
function families(): (4 | 6)[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // Link-local addresses lead nowhere.
  const own = all.filter(({ internal, address }) => !internal && !/^fe80/i.test(address));
  const six = own.filter(({ family }) => family === "IPv6");
  if (own.length > 0 && six.length === 0) return [4];
  if (own.length > 0 && six.length === own.length) return [6];
  return six.some(({ address }) => /^[23]/.test(address)) ? [6, 4] : [4, 6];
}

const unanswered = (name: string) =>
  Object.assign(new Error(`DNS did not answer for ${name}`), { code: "EAI_AGAIN", hostname: name });

function hostNames(path: string, clock: Clock): () => Set<string> {
  let names = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    if (now - readAt < HOSTS_MS) return names;
    readAt = now;
    names = namesIn(path);
    return names;
  };
}

function namesIn(path: string): Set<string> {
  try {
    const lines = readFileSync(path, "utf8").toLowerCase().split("\n");
    return new Set(lines.flatMap((line) => line.replace(/#.*/, "").trim().split(/\s+/).slice(1)));
  } catch {
    // A machine without the file has no such names.
    return new Set();
  }
}
