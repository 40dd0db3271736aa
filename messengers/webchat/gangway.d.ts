/** What a shop's page may call: `Gangway("open")`, or `Gangway.open()` once the script has loaded. */
export interface Gangway extends GangwayCalls {
  /** Calls before the script has loaded wait in `q`, if the page has the stub of the README. */
  <Name extends keyof GangwayCalls>(name: Name, ...given: Parameters<GangwayCalls[Name]>): void;
  q?: unknown[];
}
export interface GangwayCalls {
  /** `text`: put into the field if that is empty, not sent. */
  open(text?: string): void;
  close(): void;
  toggle(): void;
  /** Takes launcher and window off the page. */
  hide(): void;
  show(): void;
  /** Lets a widget with `data-consent="wait"` begin. */
  consent(): void;
  identify(user: GangwayUser): void;
  update(options: GangwayOptions): void;
  /** Ends the visitor's token on the server, and forgets the chat in this browser. */
  logout(): void;
  /** Shows the greeting beside the launcher, or another text. */
  greet(text?: string): void;
  on<Name extends keyof GangwayEvents>(name: Name, listener: (detail: GangwayEvents[Name]) => void): void;
  off<Name extends keyof GangwayEvents>(name: Name, listener: (detail: GangwayEvents[Name]) => void): void;
}

export interface GangwayUser {
  /** The shop's own id of the customer. With `signature` their chat follows them over devices. */
  id?: string | number;
  /** HMAC-SHA256 of `id` by the channel's key, in hexadecimal; computed on the shop's server. */
  signature?: string;
  name?: string;
  email?: string;
  phone?: string;
}

/** Replaces what the channel's settings say, on this page. */
export interface GangwayOptions {
  language?: string;
  title?: string;
  greeting?: string;
  away?: string;
  /** Such as `#0f5f6b`. */
  accent?: string;
  logo?: string;
  launcher?: string;
  scheme?: "auto" | "light" | "dark";
  side?: "left" | "right";
  /** Of the launcher from the edges, pixels. */
  offsetX?: number;
  offsetY?: number;
  starters?: string[];
  /** The window's own texts, by name. */
  texts?: Record<string, string>;
}

export interface GangwayEvents {
  ready: undefined;
  open: undefined;
  close: undefined;
  /** Of an agent. */
  message: { text: string; author?: string };
  /** Of the visitor. */
  sent: { text: string };
  unread: number;
}

declare global {
  interface Window {
    Gangway?: Gangway;
  }
}
