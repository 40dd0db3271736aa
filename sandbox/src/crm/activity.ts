import { type Gateway, isPossible } from "../gateway/gateway.ts";
import type { Module, World } from "../world.ts";
import { addressOf, type Result } from "./callbacks/post.ts";
import { setActive } from "./modules.ts";
import { settingsShown } from "./settings.ts";

export interface Activity {
  active: boolean;
  freeze: boolean;
}

/** Stores the user's switch and reports it to `{baseUrl}/{actions.activity}` (spec: Callbacks). */
export async function setActivity(gateway: Gateway, code: string, activity: Activity): Promise<Result> {
  const module = gateway.world.modules.get(code);
  if (!module) return { status: 404, answer: "There is no such module" };
  if (activity.active && !isPossible(gateway.world, module)) {
    const missing = module.registration.integrations.mgTransport ? "the gateway" : "chats";
    return { status: 409, answer: `The module was not called: switch ${missing} on first` };
  }
  setActive(gateway, module, activity);
  return callActivity(gateway, module);
}

/** Resolves with the module's first answer. */
export async function callActivity(gateway: Gateway, { registration }: Module): Promise<Result> {
  const { code, actions } = registration;
  if (!actions?.activity) return { status: 200, answer: "The module has no activity action" };
  const request = () => {
    const module = gateway.world.modules.get(code);
    const path = module?.registration.actions?.activity;
    if (!module || !path) return undefined;
    const { active, freeze } = module;
    const { baseUrl, clientId } = module.registration;
    const systemUrl = gateway.world.settings.publicUrl ?? gateway.origin();
    return {
      action: "activity",
      url: addressOf(baseUrl, path),
      body: { clientId, activity: { active, freeze }, systemUrl },
    };
  };
  return gateway.callbacks.call({ module: code, action: "activity", lane: "activity", request });
}

/** Moves the account to a new public address and reports it to each module; the sandbox's own address stays the technical one. */
export async function moveAccount(gateway: Gateway, publicUrl: string): Promise<Result[]> {
  gateway.world.settings.publicUrl = publicUrl;
  return Promise.all([...gateway.world.modules.values()].map((module) => callActivity(gateway, module)));
}

/** Stores the account's settings and reports them to each module's settings action. */
export async function setSettings(gateway: Gateway, settings: World["settings"]): Promise<Result[]> {
  Object.assign(gateway.world.settings, settings);
  return Promise.all([...gateway.world.modules.values()].map((module) => callSettings(gateway, module)));
}

/** With the settings as the API answers them. Resolves with the module's first answer. */
async function callSettings(gateway: Gateway, { registration: { code, actions } }: Module): Promise<Result> {
  if (!actions?.settings) return { status: 200, answer: "The module has no settings action" };
  const request = () => {
    const { baseUrl, clientId, actions: now } = gateway.world.modules.get(code)?.registration ?? {};
    if (!now?.settings || baseUrl === undefined) return undefined;
    return {
      action: "settings",
      url: addressOf(baseUrl, now.settings),
      body: { clientId, settings: settingsShown(gateway.world) },
    };
  };
  return gateway.callbacks.call({ module: code, action: "settings", lane: "settings", request });
}
