import type { Gateway } from "../../gateway/gateway.ts";
import { isWorking } from "../../gateway/gateway.ts";
import type { Module } from "../../world.ts";
import { addressOf } from "../callbacks/post.ts";

/** The module that brought this delivery type. */
export const deliveryModule = ({ world }: Gateway, type: unknown): Module | undefined =>
  [...world.modules.values()].find(
    ({ registration, deliveryType }) =>
      deliveryType !== undefined && deliveryType === type && registration.integrations.delivery,
  );

export const integrationCodeOf = ({ registration: { code, integrationCode = code } }: Module): string =>
  integrationCode;

export interface DeliveryCall {
  /** The delivery type, by code. */
  type: unknown;
  action: "save" | "shipmentSave" | "shipmentDelete";
  lane: string;
  /** The action's form field as it stands now. Undefined: there is nothing to tell. */
  tell(): object | undefined;
  /** With the module's result. */
  done?(result: unknown): void;
}

/** Calls the delivery type's module, if it has one that takes this action (spec: Callbacks). */
export function callDelivery(gateway: Gateway, { type, action, lane, tell, done }: DeliveryCall): void {
  const module = deliveryModule(gateway, type);
  if (!module || !pathOf(module, action)) return;
  const { code } = module.registration;
  const request = () => {
    const now = gateway.world.modules.get(code);
    const path = now && isWorking(gateway.world, now) ? pathOf(now, action) : undefined;
    const told = path && tell();
    if (!now || !told) return undefined;
    const { baseUrl, clientId } = now.registration;
    return { action, url: addressOf(baseUrl, path), body: { clientId, [action]: told } };
  };
  void gateway.callbacks.call({ module: code, action, lane, request, done });
}

const pathOf = ({ registration }: Module, action: string): string | undefined =>
  registration.integrations.delivery?.actions?.[action];
