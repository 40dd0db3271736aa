import { getCACertificates } from "node:tls";
import { Agent } from "undici";
import { type HostAuthorities, matchesHost } from "../domain/host-proxies.ts";

/** Finds the agent that also trusts a host's own authorities. Connections have no limit: polls hold many. */
export function createAuthorities(all: HostAuthorities[], options: Agent.Options) {
  const agents = new Map<HostAuthorities, Agent>();
  const of = (host: string) => all.find((each) => each.hosts.some((pattern) => matchesHost(host, pattern)));
  return {
    /** What is trusted for the host; undefined: what Node trusts. */
    certificatesOf: (host: string): string[] | undefined => {
      const own = of(host);
      return own && trusted(own);
    },
    agentOf(host: string): Agent | undefined {
      const own = of(host);
      if (!own) return undefined;
      const known = agents.get(own);
      if (known) return known;
      const connect = { ...(options.connect as object), ca: trusted(own) };
      const made = new Agent({ ...options, connect, connections: null });
      agents.set(own, made);
      return made;
    },
    close: async () => void (await Promise.all([...agents.values()].map((agent) => agent.destroy()))),
  };
}

const trusted = ({ pem }: HostAuthorities): string[] => [...getCACertificates("default"), pem];
