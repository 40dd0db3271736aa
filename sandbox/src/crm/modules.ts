import { randomBytes } from "node:crypto";
import { type Gateway, isWorking } from "../gateway/gateway.ts";
import { speakerRef } from "../gateway/wire.ts";
import { Refusal } from "../refusal.ts";
import type { Bot, Module, Registration } from "../world.ts";
import { integrationInfo, kindsOf } from "./integrations.ts";
import { entityFault } from "./writing.ts";

/**
 * Creates or updates the module; an update keeps its token unless a new one is requested (spec: Integration modules).
 */
export function registerModule(gateway: Gateway, registration: Registration) {
  checkRegistration(gateway, registration);
  const { world } = gateway;
  const { mgTransport, mgBot } = registration.integrations;
  const known = world.modules.get(registration.code);
  const sameSort = Boolean(known?.registration.integrations.mgTransport) === Boolean(mgTransport);
  const token = known && sameSort && !mgTransport?.refreshToken ? known.token : newToken();
  // An edit keeps what it omits.
  const active = registration.active ?? known?.active ?? true;
  const merged = { ...known?.registration, ...registration };
  const { freeze = false, deliveryType } = known ?? {};
  const module: Module = { registration: merged, token, active, freeze, deliveryType };
  world.modules.set(registration.code, module);
  if (mgBot) storeBot(gateway, merged, active);
  else dropBot(gateway, registration.code);
  const info = {
    ...(mgTransport && { mgTransport: { endpointUrl: endpointOf(gateway, "transport"), token } }),
    ...(mgBot && { mgBot: { endpointUrl: endpointOf(gateway, "bot"), token } }),
    ...integrationInfo(world, module),
  };
  // The CRM writes an empty object as a list.
  return Object.keys(info).length > 0 ? info : [];
}

/** Throws a Refusal. */
function checkRegistration({ world }: Gateway, { integrations, baseUrl, accountUrl, clientId }: Registration): void {
  const { mgTransport, mgBot } = integrations;
  const webhookUrl = mgTransport?.webhookUrl;
  const addresses = { baseUrl, accountUrl, "integrations.mgTransport.webhookUrl": webhookUrl };
  for (const [field, address] of Object.entries(addresses))
    if (address !== undefined && !/^https?:/i.test(address))
      throw entityFault("integrationModule", field, "must be an http or https address");
  if (!/^[\x21-\x7e]+$/.test(clientId))
    throw entityFault("integrationModule", "clientId", "must fit in a header: printable ASCII without spaces");
  if (kindsOf(integrations).length === 0)
    throw new Refusal(400, "Parameter 'integrations.mgTransport' is missing", "a module has an integration");
  if (world.unpaid) throw new Refusal(402, "Not enough money in the account", "the account is paid");
  if (mgTransport && !world.gatewayOn)
    throw new Refusal(
      400,
      "Failed to activate module: the messaging gateway integration is switched off",
      "a transport module needs the gateway integration",
    );
  if (mgBot && !world.chatsOn)
    throw new Refusal(400, "Failed to activate module: chats are switched off", "a bot module needs chats");
}

export const newToken = (): string => randomBytes(24).toString("hex");

function endpointOf({ origin, unknowns }: Gateway, api: "transport" | "bot"): string {
  const { endpointPath, endpointSlash } = unknowns();
  return `${origin()}${endpointPath ? `/api/${api}/v1` : ""}${endpointSlash ? "/" : ""}`;
}

function storeBot(gateway: Gateway, { code, name, logo = "" }: Registration, active: boolean): void {
  const { world, clock } = gateway;
  const at = clock.now();
  const known = botOf(gateway, code);
  if (known) {
    Object.assign(known, { name, active, updatedAt: at, deactivatedAt: active ? null : at });
    emitBot(gateway, known);
    return;
  }
  const id = world.nextId();
  const bot: Bot = {
    id,
    moduleCode: code,
    name,
    avatarUrl: logo,
    roles: [],
    active,
    deactivatedAt: active ? null : at,
    commands: new Map(),
    createdAt: at,
    updatedAt: null,
  };
  world.bots.set(id, bot);
  emitBot(gateway, bot);
}

/** The module stopped being a bot. */
function dropBot(gateway: Gateway, code: string): void {
  const bot = botOf(gateway, code);
  if (!bot?.active) return;
  Object.assign(bot, { active: false, deactivatedAt: gateway.clock.now() });
  emitBot(gateway, bot);
}

const botOf = ({ world }: Gateway, code: string): Bot | undefined =>
  [...world.bots.values()].find((bot) => bot.moduleCode === code);

function emitBot(gateway: Gateway, bot: Bot): void {
  gateway.events.emit("bot_updated", () => speakerRef(gateway, { type: "bot", id: bot.id }));
}

/** `GET /api/v5/integration-modules/{code}`; it also returns a lost token. */
export function moduleRecord(gateway: Gateway, module: Module) {
  const { registration, token, active, freeze } = module;
  const { world, unknowns } = gateway;
  const { code, name, clientId, baseUrl, accountUrl, logo, actions = {}, availableCountries = [] } = registration;
  const { mgTransport, mgBot, ...others } = registration.integrations;
  const endpoint = (api: "transport" | "bot") =>
    unknowns().endpointInModule ? { endpointUrl: endpointOf(gateway, api) } : {};
  const integrations = {
    ...others,
    ...(mgTransport && {
      mgTransport: {
        token,
        isActive: isWorking(world, module),
        webhookUrl: mgTransport.webhookUrl,
        ...endpoint("transport"),
      },
    }),
    ...(mgBot && { mgBot: { token, isActive: isWorking(world, module), name, ...endpoint("bot") } }),
  };
  const integrationCode = registration.integrationCode ?? code;
  const state = { active, freeze, native: false, availableCountries };
  return { code, integrationCode, ...state, name, logo, clientId, baseUrl, accountUrl, actions, integrations };
}

/** Set by the user or by an account switch. */
export function setActive(gateway: Gateway, module: Module, state: { active: boolean; freeze: boolean }): void {
  Object.assign(module, state);
  const bot = botOf(gateway, module.registration.code);
  if (!bot) return;
  const at = gateway.clock.now();
  Object.assign(bot, { active: state.active, updatedAt: at, deactivatedAt: state.active ? null : at });
  emitBot(gateway, bot);
}
