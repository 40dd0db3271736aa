import type { Module, Registration, World } from "../world.ts";
import type { Entries } from "./records.ts";

type Integrations = Registration["integrations"];

/** Kinds of integration, as the contract's `IntegrationsEdit` lists them. A module may have several. */
export const KINDS = [
  "telephony",
  "delivery",
  "store",
  "recommendation",
  "payment",
  "mgTransport",
  "mgBot",
  "embedJs",
] as const;

export const kindsOf = (integrations: Integrations): string[] =>
  KINDS.filter((kind) => integrations[kind] !== undefined);

/** What the CRM tells of a registration beside the gateway's tokens. Brings a delivery module's delivery type. */
export function integrationInfo(world: World, module: Module): Record<string, unknown> {
  const { telephony, delivery } = module.registration.integrations;
  return {
    ...(telephony && strangers(world, telephony)),
    ...(delivery && { deliveryType: deliveryTypeOf(world, module) }),
  };
}

/** Users and shops that a telephony module names and the account lacks. */
function strangers(
  world: World,
  { additionalCodes = [], externalPhones = [] }: NonNullable<Integrations["telephony"]>,
) {
  const users = new Set([...world.users.values()].map(({ externalId }) => Number(externalId)));
  const sites = world.dictionaries.get("sites");
  const notExistUsersIds = additionalCodes.flatMap(({ userId }) => (userId && !users.has(userId) ? userId : []));
  const notExistSiteCodes = externalPhones.flatMap(({ siteCode }) =>
    siteCode && !sites?.has(siteCode) ? siteCode : [],
  );
  return {
    ...(notExistUsersIds.length > 0 && { notExistUsersIds }),
    ...(notExistSiteCodes.length > 0 && { notExistSiteCodes }),
  };
}

/** Created at the first registration, with the module's code if that is free. */
function deliveryTypeOf(world: World, module: Module): Record<string, unknown> {
  const types = world.dictionaries.get("delivery-types") as Entries;
  const { code, name, integrationCode = code } = module.registration;
  const known = types.get(module.deliveryType ?? "");
  if (known) return known;
  const id = world.nextId();
  module.deliveryType = types.has(code) ? `${code}-${id}` : code;
  const type = { id, code: module.deliveryType, name, active: true, integrationCode };
  types.set(type.code, type);
  return type;
}
