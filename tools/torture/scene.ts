import type { RunningSandbox } from "gangway-sandbox";
import type { Server, ServerOptions } from "gangway-sandbox/demo/server";
import type { Visit } from "gangway-sandbox/demo/set-up";
import type { NetworkFault, TcpProxy } from "./tcp-proxy.ts";

/** Customers and agents who talk while calls fail and the server dies. */
export interface CrowdOptions {
  /** Total, half each way; more if the last kill comes later. */
  messages: number;
  accounts: number;
  /** Per account. */
  chats: number;
  /** Default: Telegram. */
  messenger?: OpenMessenger;
  /** Shares of messenger calls that get a 429, and that lose their answer. */
  floods: number;
  lost: number;
  /** Share of all exchanges that the network breaks, and how (default: every fault). */
  broken?: number;
  breaks?: NetworkFault[];
  policy: "resend" | "hold";
  chaos?: Chaos;
  during?(scene: Scene): Promise<void>;
  folder: string;
  env: Record<string, string>;
  /** The server's entry file (default: this checkout's build). */
  main?: string;
  /** Starts the server, or several that share the work (default: one in a process of its own). */
  serve?(options: ServerOptions): Promise<Server>;
  /** Concurrent calls of the whole server. */
  calls?: number;
  /** Pause between two chats' turns, ms. Default: none for agents; customers keep to the messenger's rate. */
  turnMs?: number;
  /** Without progress for this long, the rest counts as lost, ms. */
  stillMs?: number;
  /** In [0, 1). */
  random(): number;
  print(line: string): void;
}
export interface Chaos {
  signal: "SIGKILL" | "SIGTERM";
  /** Age at each kill, ms, since launch or since ready. The last server lives on. */
  ages: number[];
  from: "launch" | "ready";
  /** Runs between a kill and the next start. */
  dead?(): void;
}
/** The messenger's side of a crowd: one network, in the first account's sandbox. */
export interface CrowdMessenger {
  /** Server settings. */
  env: Record<string, string>;
  /** Adds a channel to the account on this page; `n` counts accounts. Resolves with its customers. */
  join(visit: Visit, n: number): Promise<Customer[]>;
  /** Plans the faults of calls and webhooks. */
  plan(): Promise<void>;
  counts(): Promise<MessengerCounts>;
  /** At a messenger whose outcome comes later: its outcomes beside those at the gateways. */
  outcomes?(accounts: CrowdAccount[]): Outcomes;
}
export type OpenMessenger = (at: Pick<CrowdAccount, "crm" | "origin">, options: CrowdOptions) => CrowdMessenger;
export interface MessengerCounts {
  lostAnswers: number;
  /** Calls beyond its limits. */
  floods: number;
}
/** A message of an agent that its customer has already. */
export interface Copy {
  /** Sent by a call with the first one's key. */
  hasKey: boolean;
  /** Since the first was sent. */
  afterMs: number;
  /** When a status of the first reached the server, since it was sent. */
  toldMs?: number;
}
export interface Outcomes {
  /** Messages that the messenger gave up after its 200. */
  failures: number;
  /** Of those: the agent does not know, or reads another reason. */
  untold: number;
  /** Messages that the agent reads as failed, and the messenger did not fail. */
  invented: number;
  /** Messages whose last ack is missing. */
  unacked: number;
  /** Messages that the customer has read, and the agent does not know. */
  unseen: number;
  /** Copies sent although a status had named the first. */
  settledDuplicates: number;
  /** Copies sent before the server may give up on a status, or by another call. */
  soonDuplicates: number;
  copies: Copy[];
  /** What the messenger has still to tell the server. */
  pending: number;
}
/** A customer in a chat with one channel. */
export interface Customer {
  /** The chat's id at the messenger. */
  chat: string;
  say(text: string): Promise<unknown>;
  /** Texts from agents in the chat, oldest first, and when they came, Unix time, ms. */
  shown(): Promise<{ text: string; at: number }[]>;
  /** Whether the server must keep one text of this customer before another. Default: the order of writing. */
  precedes?(one: string, other: string): boolean;
}
export interface CrowdAccount {
  crm: RunningSandbox;
  /** The driver's direct way to the sandbox, bypassing the proxy. */
  origin: string;
  visit: Visit;
  chats: CrowdChat[];
}
export interface CrowdChat {
  customer: Customer;
  inbound: string[];
  outbound: string[];
}
export interface Scene extends CrowdOptions {
  server: Server;
  network: CrowdMessenger;
  metricsPort: number;
  crowd: CrowdAccount[];
  dying: boolean;
  deaths: number;
  slowestEnd: number;
  proxies: TcpProxy[];
}
