import type { Gateway } from "../gateway/gateway.ts";
import type { World } from "../world.ts";
import { callActivity } from "./activity.ts";
import { activateCorporate } from "./corporate/activation.ts";
import { setActive } from "./modules.ts";

export type Switches = Pick<World, "gatewayOn" | "chatsOn" | "unpaid" | "corporateOn" | "versions">;

/** Off disables every module of that kind; on again enables none (spec: States and transitions). */
export function setSwitches(gateway: Gateway, change: Partial<Switches>): Switches {
  const { world } = gateway;
  const { gatewayOn = world.gatewayOn, chatsOn = world.chatsOn, unpaid = world.unpaid } = change;
  Object.assign(world, { gatewayOn, chatsOn, unpaid, versions: change.versions ?? world.versions });
  if (change.corporateOn) activateCorporate(gateway);
  for (const module of world.modules.values()) {
    const { mgTransport, mgBot } = module.registration.integrations;
    if (!module.active || !((mgTransport && !gatewayOn) || (mgBot && !chatsOn))) continue;
    setActive(gateway, module, { active: false, freeze: module.freeze });
    if (gateway.unknowns().activityOnShutdown) void callActivity(gateway, module);
  }
  return { gatewayOn, chatsOn, unpaid, corporateOn: world.corporateOn, versions: world.versions };
}
