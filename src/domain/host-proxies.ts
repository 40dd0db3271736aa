/** A proxy of the operator's for calls to a host: an HTTP proxy (CONNECT) or SOCKS5, with or without a password. */
export interface HostProxy {
  /** A name; `*.` before it means all names below it. */
  host: string;
  url: string;
}

/** Certificate authorities that are trusted for calls to these hosts, beside those that Node knows. */
export interface HostAuthorities {
  hosts: string[];
  pem: string;
}

/** A pattern is a name, or `*.` and what all names below it end with. */
export const matchesHost = (host: string, pattern: string): boolean =>
  pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
