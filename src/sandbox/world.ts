// Everything the sandbox knows. It lives in memory: a restart is a new account.

export interface Registration {
  code: string;
  name: string;
  clientId: string;
  baseUrl: string;
  accountUrl?: string;
  logo?: string;
  active?: boolean;
  integrationCode?: string;
  availableCountries?: string[];
  actions?: Record<string, string>;
  integrations: { mgTransport?: { webhookUrl: string; refreshToken?: boolean } };
}
export interface Module {
  registration: Registration;
  token: string;
  active: boolean;
  freeze: boolean;
}
export interface SandboxChannel {
  id: number;
  moduleCode: string;
  type: string;
  name: string;
  externalId: string | null;
  settings: Settings;
  active: boolean;
  createdAt: string;
  activatedAt: string;
  updatedAt: string | null;
  deactivatedAt: string | null;
}
type Deeds = Partial<Record<"creating" | "editing" | "quoting" | "deleting" | "reaction", string>>;
export interface Settings extends Record<string, unknown> {
  text?: Deeds & { max_chars_count?: number };
  image?: Deeds & { max_items_count?: number };
  file?: Deeds & { max_items_count?: number };
  audio?: Deeds & { max_items_count?: number };
  status?: Partial<Record<"delivered" | "read", string>>;
  suggestions?: Record<string, string>;
}
export interface SandboxFile {
  id: string;
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}
export interface Chat {
  id: number;
  channelId: number;
  externalId: string;
  customer: { externalId: string; name: string };
}
export interface Message {
  id: number;
  chatId: number;
  channelId: number;
  from: "customer" | "user";
  externalId?: string;
  type: string;
  text: string;
  files: string[];
  quoteId?: number;
  suggestions: { type: string; title: string; payload?: string }[];
  status: "sending" | "sent" | "received" | "seen" | "failed";
  error?: { code: string; message?: string };
  edited: boolean;
  deleted: boolean;
  pageLink?: string;
  reaction?: string;
  time: string;
}

export interface World {
  keys: Map<string, { scopes: string[]; credentials: string[] }>;
  versions: string[];
  gatewayOn: boolean;
  unpaid: boolean;
  modules: Map<string, Module>;
  channels: Map<number, SandboxChannel>;
  chats: Map<number, Chat>;
  messages: Message[];
  files: Map<string, SandboxFile>;
  /** Grows with every change, so that a page knows when to look again. */
  version: number;
  nextId(): number;
}

export const SANDBOX_KEY = "sandbox-key";

export function createWorld(): World {
  // No id of an earlier run again: a module that kept its database would meet them twice.
  let last = Date.now() % 1_000_000_000;
  const scopes = ["integration_read", "integration_write"];
  return {
    keys: new Map([[SANDBOX_KEY, { scopes, credentials: [] }]]),
    versions: ["3.0", "4.0", "5.0"],
    gatewayOn: true,
    unpaid: false,
    modules: new Map(),
    channels: new Map(),
    chats: new Map(),
    messages: [],
    files: new Map(),
    version: 1,
    nextId: () => {
      last += 1;
      return last;
    },
  };
}

export const messageById = (world: World, id: number): Message | undefined => world.messages.find((m) => m.id === id);

/** By the gateway's id, or by the module's within its channel. */
export function findMessage(
  world: World,
  channelId: number,
  ref: { id?: number; external_id?: string } | undefined,
): Message | undefined {
  return world.messages.find(
    (m) =>
      m.channelId === channelId &&
      (ref?.id ? m.id === ref.id : m.externalId !== undefined && m.externalId === ref?.external_id),
  );
}

/** Does the channel announce that this may travel this way? `send`: module to gateway. */
export function announces(channel: SandboxChannel, kind: string, deed: keyof Deeds, way: "send" | "receive"): boolean {
  const deeds = channel.settings[kind] as Deeds | undefined;
  const value = deeds?.[deed];
  return value === "both" || value === way || value === "any";
}
