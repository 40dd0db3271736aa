import type { RunningSandbox } from "gangway-sandbox";
import type { Phones } from "../demo/phone.ts";
import type { Server } from "../demo/server.ts";
import type { Visit } from "../demo/set-up.ts";
import type { NetworkFault, TcpProxy } from "./tcp-proxy.ts";

/** Customers and agents who talk while calls fail and the server dies. */
export interface CrowdOptions {
  /** Total, half each way; more if the last kill comes later. */
  messages: number;
  accounts: number;
  /** Per account. */
  chats: number;
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
export interface CrowdAccount {
  crm: RunningSandbox;
  /** The driver's direct way to the sandbox, bypassing the proxy. */
  origin: string;
  bot: number;
  visit: Visit;
  chats: CrowdChat[];
}
export interface CrowdChat {
  person: number;
  inbound: string[];
  outbound: string[];
}
export interface Scene extends CrowdOptions {
  server: Server;
  phones: Phones;
  metricsPort: number;
  crowd: CrowdAccount[];
  dying: boolean;
  deaths: number;
  slowestEnd: number;
  proxies: TcpProxy[];
}
