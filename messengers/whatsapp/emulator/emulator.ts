import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { createSwitches } from "gangway-messenger/kit/emulator/switches";
import { coreControl } from "gangway-meta/emulator/control";
import { type Core, createCore } from "gangway-meta/emulator/core";
import { DEMO_APP, demoAppEnv, registerApp } from "gangway-meta/emulator/demo-app";
import { plannable } from "gangway-meta/emulator/faults";
import { graphSite, type Operation } from "gangway-meta/emulator/graph";
import { loginPage } from "gangway-meta/emulator/login-page";
import { oauthOperations } from "gangway-meta/emulator/oauth";
import { Hono } from "hono";
import { write } from "./acts.ts";
import { waRefusal } from "./codes.ts";
import { whatsappControl } from "./control.ts";
import { DIALOG_HEADER, dialogOperations } from "./dialog.ts";
import { uploadOperations } from "./example-uploads.ts";
import { type DialogKey, type Network, whatsappSwitches } from "./network.ts";
import { deleteMedia, getNode, listNumbers, uploadMedia } from "./nodes.ts";
import { phonePage } from "./phone-page.tsx";
import { syncPhone } from "./phone-sync.ts";
import { ACCOUNT_ID, FOREIGN_ACCOUNT_ID, NUMBER_ID, populate, TOKEN } from "./seed.ts";
import { sendMessage } from "./sending.ts";
import { listSubscribed, subscribeApp, unsubscribeApp } from "./subscriptions.ts";
import { createTemplate, deleteTemplate, editTemplate, listTemplates } from "./templates.ts";
import { chatOf, createWorld, type Message, type World } from "./world.ts";

export interface WhatsApp extends Emulator {
  network: Network;
  /** The first customer writes to the first number; resolves when the module has answered the webhook. */
  says(text: string): Promise<Message>;
}

/** WhatsApp's Cloud API, with an app, two numbers and two customers. */
/** That an app can subscribe to (docs/whatsapp/webhooks/reference); `user_id_update` is none. */
const WEBHOOK_FIELDS =
  "account_alerts account_review_update account_settings_update account_update automatic_events business_capability_update business_status_update calls flows group_lifecycle_update group_participants_update group_settings_update group_status_update history message_echoes message_template_components_update message_template_quality_update message_template_status_update messages messaging_handovers partner_solutions payment_configuration_update phone_number_name_update phone_number_quality_update security smb_app_state_sync smb_message_echoes standby template_category_update template_correct_category_detection tracking_events user_preferences".split(
    " ",
  );

/** Edges of Graph that are refused by name. */
export const UNSERVED =
  "assigned_users block_users calls deregister flows groups marketing_messages message_qrdls product_catalogs register request_code settings verify_code whatsapp_business_profile".split(
    " ",
  );

export function createEmulator(options: EmulatorOptions): WhatsApp {
  const switches = createSwitches(whatsappSwitches);
  const core = createCore({ ...options, object: "whatsapp_business_account", fields: WEBHOOK_FIELDS, switches });
  const network = networkOf(core, createWorld(), switches);
  populate(network);
  const clear = () => {
    const { world, dialogKeys, uploads } = network;
    core.clear();
    for (const map of [world.accounts, world.numbers, world.chats, world.messages, world.groups]) map.clear();
    for (const map of [uploads.sessions, uploads.handles]) map.clear();
    world.customers.length = 0;
    dialogKeys.length = 0;
    populate(network);
  };
  const operations = operationsOf(network);
  const names = [...new Set(operations.map(({ id }) => id))];
  const site = new Hono();
  const graph = { core, unserved: UNSERVED, refusalFor: (code: number) => waRefusal(code) };
  site.route("/phone", phonePage(network));
  site.route("/control", coreControl(core, names, clear));
  site.route("/control", whatsappControl(network));
  site.route("/360dialog", graphSite({ ...graph, operations: dialogOperations(network), tokenHeader: DIALOG_HEADER }));
  site.route("/", loginOf(network));
  site.route("/", graphSite({ ...graph, operations }));
  const chat = () => {
    const { world } = network;
    const [number] = world.numbers.values();
    const [customer] = world.customers;
    if (!number || !customer) throw new Error("The world is empty");
    return chatOf(world, number, customer);
  };
  const says = async (text: string) => write(network, chat(), { text });
  return {
    site,
    network,
    says,
    customer: { says, sees: () => textsOf(chat().messages) },
    channel: () => ({
      name: "WhatsApp",
      settings: { via: "meta", phoneNumberId: NUMBER_ID, wabaId: ACCOUNT_ID, token: TOKEN, appSecret: DEMO_APP.secret },
    }),
    env: () => ({
      WHATSAPP_API_URL: options.origin(),
      DIALOG_360_URL: `${options.origin()}/360dialog`,
      META_DIALOG_URL: options.origin(),
      ...demoAppEnv(),
    }),
    register: (server) => registerApp(core, DEMO_APP.id, `${server}/apps/whatsapp`),
    faults: plannable(core.faults, names),
    stop: core.stop,
  };
}

const textsOf = (messages: Message[]): string[] =>
  messages.flatMap(({ from, content: { type, text }, isRevoked }) => {
    const { body } = Object(text) as { body?: string };
    return from === "customer" || isRevoked || type !== "text" || body === undefined ? [] : body;
  });

/** Facebook Login, where the merchant chooses an account. */
function loginOf({ core, world }: Network): Hono {
  const numbersOf = (account: string) => [...world.numbers.values()].filter((each) => each.account === account);
  return loginPage({
    core,
    path: "/:version{v\\d+\\.\\d+}/dialog/oauth",
    choices: () => [...world.accounts.values()].filter(({ id }) => id !== FOREIGN_ACCOUNT_ID),
    nodesOf: (id) => numbersOf(id).map((number) => number.id),
    user: "122100000000042",
    // The address of the dialog is one for all networks.
    elsewhere: (scopes) =>
      scopes.some((scope) => /^(pages|instagram)_/.test(scope))
        ? `${core.origin().replace(/[^/]+$/, "facebook")}/v26.0/dialog/oauth`
        : undefined,
  });
}

function networkOf(core: Core, world: World, switches: Network["switches"]): Network {
  const dialogKeys: DialogKey[] = [];
  const pending = new Set<Promise<unknown>>();
  return {
    core,
    world,
    switches,
    dialogKeys,
    uploads: { sessions: new Map(), handles: new Map() },
    soon(work) {
      const done = new Promise<void>((resolve) => {
        setImmediate(() => resolve(work().then(() => undefined)));
      }).catch((error: Error) => void process.stderr.write(`sandbox: ${error.stack}\n`));
      pending.add(done);
      void done.then(() => pending.delete(done));
    },
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

function operationsOf(network: Network): Operation[] {
  const number = "/:phoneNumberId{\\d+}";
  const account = "/:wabaId{\\d+}";
  const node = "/:nodeId";
  return [
    { id: "sendMessage", method: "POST", path: `${number}/messages`, run: (asked) => sendMessage(network, asked) },
    { id: "uploadMedia", method: "POST", path: `${number}/media`, run: (asked) => uploadMedia(network, asked) },
    { id: "syncPhone", method: "POST", path: `${number}/smb_app_data`, run: (asked) => syncPhone(network, asked) },
    {
      id: "listSubscribedApps",
      method: "GET",
      path: `${account}/subscribed_apps`,
      run: (asked) => listSubscribed(network, asked),
    },
    {
      id: "subscribeApp",
      method: "POST",
      path: `${account}/subscribed_apps`,
      run: (asked) => subscribeApp(network, asked),
    },
    {
      id: "unsubscribeApp",
      method: "DELETE",
      path: `${account}/subscribed_apps`,
      run: (asked) => unsubscribeApp(network, asked),
    },
    {
      id: "listPhoneNumbers",
      method: "GET",
      path: `${account}/phone_numbers`,
      run: (asked) => listNumbers(network, asked),
    },
    {
      id: "listTemplates",
      method: "GET",
      path: `${account}/message_templates`,
      run: (asked) => listTemplates(network, asked),
    },
    {
      id: "createTemplate",
      method: "POST",
      path: `${account}/message_templates`,
      run: (asked) => createTemplate(network, asked),
    },
    {
      id: "deleteTemplate",
      method: "DELETE",
      path: `${account}/message_templates`,
      run: (asked) => deleteTemplate(network, asked),
    },
    ...oauthOperations(network.core, (scope, { nodes }) =>
      [...nodes].filter((id) => scope.startsWith("whatsapp_") && network.world.accounts.has(id)),
    ),
    ...uploadOperations(network),
    { id: "getNode", method: "GET", path: node, run: (asked) => getNode(network, asked) },
    { id: "deleteMedia", method: "DELETE", path: node, run: (asked) => deleteMedia(network, asked) },
    { id: "editTemplate", method: "POST", path: node, run: (asked) => editTemplate(network, asked) },
  ];
}
