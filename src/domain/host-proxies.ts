/** The operator's proxy for calls to a host: HTTP (CONNECT) or SOCKS5, with or without a password. */
export interface HostProxy {
  /** Host name; a leading `*.` stands for all names below it. */
  host: string;
  url: string;
}

/** Certificate authorities trusted for calls to these hosts, in addition to Node's own. */
export interface HostAuthorities {
  hosts: string[];
  pem: string;
}

/** A pattern is a host name, or `*.` and a parent domain. */
export const matchesHost = (host: string, pattern: string): boolean =>
  pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
