import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import type { CustomerId } from "./ids.ts";
import type { InLanguages } from "./language.ts";
import type { ChannelAdapter, Forwarded, RawWebhook } from "./port.ts";

// Extends port.ts for messengers at which a vendor or a shop registers an app, which serves many logins.

export interface AppAdapter<Settings = unknown, Server = object> extends ChannelAdapter<Settings, Server> {
  app: VendorApp<Settings, Server>;
}

export const hasApp = (adapter: ChannelAdapter): adapter is AppAdapter => "app" in adapter;

/** Erases the adapter's types, as `defineChannel` does. */
export const defineAppChannel = <Settings, Server>(adapter: AppAdapter<Settings, Server>): AppAdapter =>
  adapter as unknown as AppAdapter;

/** The vendor's own app, known by the operator's settings: one webhook and one login for the channels of all accounts. */
interface VendorApp<Settings, Server> {
  /** Whether the operator has set it up; nothing else is called before. */
  isSetUp(server: Server): boolean;
  /** Largest request body, bytes. */
  bodyLimit: number;
  /** Called for each request at `/apps/<kind>` and below it. Authenticates and splits; stores nothing, no I/O. */
  receive(request: Request, server: Server): Promise<AppReceipt>;
  /** Called by the operator's doctor. Absent where the messenger does not answer that. Throws DeliveryError. */
  check?(from: Checking<Server>, signal: AbortSignal): Promise<AppCheck>;
  /** Connecting by a login at the messenger, in place of typed credentials. */
  login: Login<Server>;
  /** The settings without what a person gave by their login. They still parse, and the channel stays. */
  forget(settings: Settings): Settings;
}

export interface Checking<Server> {
  server: Server;
  /** The address at which requests of the app should arrive. */
  doorUrl: string;
  call: Call;
  clock: Clock;
}
/** Whether the messenger takes the app's credentials, and sends to our address; in English, for the operator. */
export interface AppCheck {
  state: "ok" | "warn" | "fail";
  seen: string;
  todo?: string;
}

export interface AppReceipt {
  parts: Forwarded[];
  /** Counted for the operator. Absent when there was nothing to prove, as in an address check. */
  authenticity?: Authenticity;
  /**
   * Parts for every login of a group (`session.groups`), such as all numbers of a business account. Dropped for logins
   * without a channel.
   */
  shared?: ForGroup[];
  /** Logins whose owner has withdrawn the app's access, or groups of them: their channels stop, with this trouble. */
  withdrawn?: Withdrawn;
  /**
   * A person asks, at the messenger, for their data to be erased. `reply` tells them where to see the state. `proof`:
   * something only the messenger can produce; a repeat with the same proof is the same request.
   */
  erase?: { customer: CustomerId; proof?: string; reply(statusUrl: string, code: string): Response };
  /** Short name of what this version did not understand and ignored; logged. */
  unknown?: string;
  /** Sent once all parts are stored. */
  reply: Response;
}

/**
 * Whether a request comes from the messenger. `unsigned`: from a stranger. The other values mean a stranger or wrong
 * settings: `todo` says in English what the operator should check.
 */
export type Authenticity =
  | { result: "proven" | "unsigned" }
  | { result: "other-secret" | "other-verify-token"; todo: string };

export interface Withdrawn {
  logins: string[];
  groups?: string[];
  trouble: string;
  /** The owner wants their data erased, too: the channels forget the login (`VendorApp.forget`), and whose it was. */
  forget?: true;
}

/** Each session authenticates it as a request at its own door. */
export interface ForGroup {
  group: string;
  request: RawWebhook;
}

/** Server-side redirects (OAuth). The server creates and checks the state, and knows who returns with it. */
interface Login<Server> {
  /** The provider of the login, if its name is not the messenger's title. */
  title?: string | InLanguages<string>;
  authorizeUrl(to: { redirectUrl: string; state: string }, server: Server): string;
  /** What the person who came back can connect. Throws DeliveryError. */
  choices(from: CameBack<Server>, signal: AbortSignal): Promise<LoginChoice[]>;
}
export interface CameBack<Server> {
  /** The query string with which they returned. */
  query: Record<string, string>;
  redirectUrl: string;
  server: Server;
  call: Call;
  clock: Clock;
}
export interface LoginChoice {
  /** `Identity.id`. */
  login: string;
  name: string;
  /** Distinguishes it from others of the same name, for example a phone number. */
  about?: string;
  /** Settings of a new channel, as its form would give them. */
  settings: Record<string, unknown>;
}
