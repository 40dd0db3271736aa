import type { EmulatedCustomer, EmulatorFaults, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { createSwitches } from "gangway-messenger/kit/emulator/switches";
import { Hono } from "hono";
import type { Core } from "../core.ts";
import { createCore } from "../core.ts";
import { plannable } from "../faults.ts";
import { graphSite, type Operation } from "../graph.ts";
import { consolePage } from "./console-page.tsx";
import { messagingControl } from "./control.ts";
import { conversationOperations } from "./conversations.ts";
import { type Customers, createCustomers } from "./customer.ts";
import type { Network, Platform } from "./network.ts";
import { nodeOperations } from "./nodes.ts";
import { phoneApi } from "./phone-api.ts";
import { phonePage } from "./phone-page.tsx";
import { refusalFor } from "./refusals.ts";
import { sendingOperations } from "./sending.ts";
import { staffSays } from "./staff.ts";
import { subscriptionOperations } from "./subscriptions.ts";
import { messagingSwitches } from "./switches.ts";
import { threadOperations } from "./threads.ts";
import { type Chat, createWorld, type Message } from "./world.ts";

/** The running emulator of a network, for tests. */
export interface Messaging {
  site: Hono;
  core: Core;
  platform: Platform;
  customers: Customers;
  customer?: EmulatedCustomer;
  staffSays(chat: Chat, text: string): Promise<Message>;
  /** Forgets everything and starts over. */
  clear(): void;
  faults?: EmulatorFaults;
  stop(): void;
}
interface Parts {
  network: Network;
  /** Besides messages, uploads, subscriptions and nodes. */
  operations(platform: Platform): Operation[];
  /** Apps, accounts, tokens and people at the start. */
  seed(platform: Platform): void;
  /** The login's pages. */
  login(platform: Platform): Hono;
}

/** Edges of Graph that are refused by name. */
export const UNSERVED =
  "comments custom_labels feed insights label message_creatives message_templates messenger_profile nlp_configs personas posts secondary_receivers thread_owner".split(
    " ",
  );

/** 25 MB and its form. */
const MAX_BODY = 30 * 1024 * 1024;

export function createMessaging(options: EmulatorOptions, parts: Parts): Messaging {
  const { network } = parts;
  const switches = createSwitches(messagingSwitches);
  const core = createCore({ ...options, object: network.object, switches });
  const platform: Platform = { core, network, world: createWorld(), values: switches.values };
  const customers = createCustomers(platform);
  const operations = [
    ...parts.operations(platform),
    ...sendingOperations(platform),
    ...subscriptionOperations(platform),
    ...(network.object === "page" ? threadOperations(platform) : []),
    ...conversationOperations(platform),
    ...nodeOperations(platform),
  ];
  const clear = () => {
    core.clear();
    Object.assign(platform.world, createWorld());
    parts.seed(platform);
  };
  parts.seed(platform);
  const ids = [...new Set(operations.map(({ id }) => id))];
  const site = new Hono();
  site.route("/control", messagingControl(platform, ids, clear));
  site.route("/console", consolePage(platform));
  site.route("/phone/api", phoneApi(platform, customers));
  site.route("/phone", phonePage(platform, customers));
  site.route("/", parts.login(platform));
  site.route("/", graphSite({ core, operations, unserved: UNSERVED, refusalFor, maxBody: MAX_BODY }));
  return {
    site,
    core,
    platform,
    customers,
    customer: firstCustomer(platform, customers),
    staffSays: (chat, text) => staffSays(platform, chat, text),
    clear,
    faults: plannable(core.faults, ids),
    stop: core.stop,
  };
}

/** The first person, who writes to the first account. */
function firstCustomer({ world }: Platform, customers: Customers): EmulatedCustomer {
  const chat = () => {
    const [account] = world.accounts;
    const [person] = world.people;
    if (!account || !person) throw new Error("The world is empty");
    return customers.chat(account, person);
  };
  return {
    says: async (text) => customers.says(chat(), { text }),
    sees: () =>
      chat().messages.flatMap(({ from, text, isDeleted }) => (from === "customer" || isDeleted || !text ? [] : text)),
  };
}
