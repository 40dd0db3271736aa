import { type Dispatcher, ProxyAgent } from "undici";
import { type HostProxy, matchesHost } from "../domain/host-proxies.ts";

/** Finds the proxy for a host. It gets the host's name, and resolves it itself. Connections have no limit: polls hold many. */
export function createProxies(
  proxies: HostProxy[],
  times: { connectTimeout: number; keepAliveTimeout: number },
  /** What is trusted for a host beyond the proxy; undefined: what Node trusts. */
  certificatesOf: (host: string) => string[] | undefined = () => undefined,
) {
  const agents = new Map<string, ProxyAgent>();
  const agentFor = (url: string, host: string) => {
    const ca = certificatesOf(host);
    const key = ca ? `${url} ${host}` : url;
    const known = agents.get(key);
    if (known) return known;
    // A tunnel for http, too: the proxy sees no request.
    const made = new ProxyAgent({
      ...{ uri: url, ...times, headersTimeout: 0, bodyTimeout: 0, proxyTunnel: true },
      ...(ca && { requestTls: { ca } }),
    });
    agents.set(key, made);
    return made;
  };
  return {
    of(host: string): Dispatcher | undefined {
      const proxy = proxies.find((each) => matchesHost(host, each.host));
      return proxy && agentFor(proxy.url, host);
    },
    close: async () => void (await Promise.all([...agents.values()].map((agent) => agent.destroy()))),
  };
}
