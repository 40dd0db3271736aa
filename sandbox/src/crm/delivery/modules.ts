import type { Gateway } from "../../gateway/gateway.ts";
import { isWorking } from "../../gateway/gateway.ts";
import type { Module } from "../../world.ts";
import type { CallbackRequest } from "../callbacks/attempt.ts";
import { addressOf } from "../callbacks/post.ts";

/** The module that brought this delivery type. */
export const deliveryModule = ({ world }: Gateway, type: unknown): Module | undefined =>
  [...world.modules.values()].find(
    ({ registration, deliveryType }) =>
      deliveryType !== undefined && deliveryType === type && registration.integrations.delivery,
  );

export const integrationCodeOf = ({ registration: { code, integrationCode = code } }: Module): string =>
  integrationCode;

interface Status {
  code: string;
  name?: string;
  /** False: a delivery in this status takes no changes. */
  isEditable?: boolean;
}
/** The statuses that the module gives its deliveries; empty: it has named none. */
export const statusesOf = ({ registration }: Module): Status[] =>
  (registration.integrations.delivery as { statusList?: Status[] } | undefined)?.statusList ?? [];

type Action = "save" | "delete" | "calculate" | "shipmentSave" | "shipmentDelete";
/** What a call tells, as it stands now. Undefined: there is nothing to tell. */
type Tell = () => object | undefined;

export interface DeliveryCall {
  /** The delivery type, by code. */
  type: unknown;
  action: Action;
  lane: string;
  tell: Tell;
  /** With the module's result. */
  done?(result: unknown): void;
}

/** Calls the delivery type's module, if it has one that takes this action (spec: Callbacks). */
export function callDelivery(gateway: Gateway, { type, action, lane, tell, done }: DeliveryCall): void {
  const module = deliveryModule(gateway, type);
  if (!module || !takes(module, action)) return;
  const { code } = module.registration;
  const request = () => requestTo(gateway, code, action, tell);
  void gateway.callbacks.call({ module: code, action, lane, request, done });
}

/** Asks a module once. Resolves with its result; undefined: it gives none. */
export async function askDelivery(gateway: Gateway, module: Module, action: Action, told: object): Promise<unknown> {
  const { code } = module.registration;
  const request = requestTo(gateway, code, action, () => told);
  return request && gateway.callbacks.ask({ module: code, action, request });
}

function requestTo(gateway: Gateway, code: string, action: Action, tell: Tell): CallbackRequest | undefined {
  const { world } = gateway;
  const module = world.modules.get(code);
  const path = module && isWorking(world, module) ? pathOf(module, action) : undefined;
  const told = path && tell();
  if (!module || !told) return undefined;
  const { baseUrl, clientId } = module.registration;
  return { action, url: addressOf(baseUrl, path), body: { clientId, [action]: told } };
}

const pathOf = ({ registration }: Module, action: Action): string | undefined =>
  registration.integrations.delivery?.actions?.[action];
export const takes = (module: Module, action: Action): boolean => Boolean(pathOf(module, action));
