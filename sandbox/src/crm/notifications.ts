import type { Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";

/** Administrators' notifications. */
export function notificationRoute(site: Hono<Env>, { world, clock }: Gateway): void {
  site.post("/api/v5/notifications/send", (c) => {
    const { notification } = bodyOf<{
      notification: { type: string; message: string; userGroups?: string[]; userIds?: number[] };
    }>(c);
    const { type, message, userGroups = [], userIds = [] } = notification;
    world.notifications.push({ at: clock.now(), type, message, to: [...userGroups, ...userIds].join(", ") });
    return c.json({ success: true });
  });
}
