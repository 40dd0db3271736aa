import type { Gateway } from "./gateway.ts";
import { speakerRef } from "./wire.ts";

export function tellUser(gateway: Gateway, id: number): void {
  const told = () => ({
    ...speakerRef(gateway, { type: "user", id }),
    is_active: gateway.world.users.get(id)?.active ?? false,
  });
  gateway.events.emit("user_updated", told);
}

export function tellOnline(gateway: Gateway, id: number): void {
  const user = gateway.world.users.get(id);
  gateway.events.emit("user_online_updated", () => ({
    connected: user?.connected ?? false,
    online: user?.online ?? false,
    user: speakerRef(gateway, { type: "user", id }),
  }));
}
