import type { RunningSandbox } from "gangway-sandbox";
import type { Phones } from "../demo/phone.ts";
import type { Server } from "../demo/server.ts";
import type { Visit } from "../demo/set-up.ts";
import type { NetworkFault, TcpProxy } from "./tcp-proxy.ts";

/** A crowd of customers and agents talking while calls fail and the server dies. */
export interface CrowdOptions {
  /** In all, half each way; more when that many are said before the last death. */
  messages: number;
  accounts: number;
  /** Of each account. */
  chats: number;
  /** Shares of the messenger's calls that are answered with 429, and whose answer is lost. */
  floods: number;
  lost: number;
  /** Share of all exchanges, both ways and on both sides, that the network breaks, and how (in every way). */
  broken?: number;
  breaks?: NetworkFault[];
  policy: "resend" | "hold";
  chaos?: Chaos;
  /** Runs while they talk. */
  during?(scene: Scene): Promise<void>;
  folder: string;
  env: Record<string, string>;
  /** The server's program, when it is not the one beside this. */
  main?: string;
  /** Calls under way at once in the whole server. */
  calls?: number;
  /** Between two turns of one side of an account, ms; else agents say all at once, and customers what an agent's side may take. */
  turnMs?: number;
  /** When nothing has moved for so long, nothing will, ms. */
  stillMs?: number;
  /** In [0, 1). */
  random(): number;
  print(line: string): void;
}
/** How the server dies. */
export interface Chaos {
  signal: "SIGKILL" | "SIGTERM";
  /** One death after another, ms: after its launch, or after it became ready. Then it is left alone. */
  ages: number[];
  from: "launch" | "ready";
  /** Runs when it is dead, before it starts again. */
  dead?(): void;
}
export interface CrowdAccount {
  crm: RunningSandbox;
  /** How the driver reaches the sandbox, whatever the network does. */
  origin: string;
  bot: number;
  visit: Visit;
  chats: CrowdChat[];
}
export interface CrowdChat {
  person: number;
  /** In the order in which they were said. */
  inbound: string[];
  outbound: string[];
}
export interface Scene extends CrowdOptions {
  server: Server;
  phones: Phones;
  metricsPort: number;
  crowd: CrowdAccount[];
  /** Deaths are still to come. */
  dying: boolean;
  deaths: number;
  slowestEnd: number;
  proxies: TcpProxy[];
}
