import type { Gateway } from "./gateway.ts";
import { speakerRef } from "./wire.ts";

export function emitUser(gateway: Gateway, id: number): void {
  const data = () => ({
    ...speakerRef(gateway, { type: "user", id }),
    is_active: gateway.world.users.get(id)?.active ?? false,
  });
  gateway.events.emit("user_updated", data);
}

export function emitOnline(gateway: Gateway, id: number): void {
  const user = gateway.world.users.get(id);
  gateway.events.emit("user_online_updated", () => ({
    connected: user?.connected ?? false,
    online: user?.online ?? false,
    user: speakerRef(gateway, { type: "user", id }),
  }));
}
