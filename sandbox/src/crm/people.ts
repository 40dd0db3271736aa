import type { Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { emitOnline } from "../gateway/people.ts";
import { Refusal } from "../refusal.ts";
import type { User } from "../world.ts";
import { flagged, from, type ListFilters, listed, oneOf, upTo } from "./listing.ts";

export const crmTime = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

const userOf = (user: User) => ({
  id: Number(user.externalId),
  firstName: user.firstName,
  lastName: user.lastName,
  active: user.active,
  online: user.online,
  isManager: true,
  status: user.status,
  createdAt: crmTime(user.createdAt),
});

const USER_FILTERS: ListFilters<User> = {
  status: oneOf(({ status }) => status),
  online: flagged(({ online }) => online),
  active: flagged(({ active }) => active),
  isManager: flagged(() => true),
  createdAtFrom: from(({ createdAt }) => createdAt),
  createdAtTo: upTo(({ createdAt }) => createdAt),
};

/** Agents, administrators' notifications and the account's settings. */
export function peopleRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world, clock } = gateway;
  const userById = (id: string): User => {
    const user = [...world.users.values()].find((each) => each.externalId === id);
    if (!user) throw new Refusal(404, "Not found", "the user exists");
    return user;
  };
  site.get("/api/v5/users", (c) =>
    listed(c, { name: "users", entries: world.users.values(), supported: USER_FILTERS, shown: userOf }),
  );
  site.get("/api/v5/users/:id", (c) => c.json({ success: true, user: userOf(userById(c.req.param("id"))) }));
  site.post("/api/v5/users/:id/status", (c) => {
    const user = userById(c.req.param("id"));
    Object.assign(user, { status: bodyOf<{ status: string }>(c).status, updatedAt: clock.now() });
    user.available = user.status === "free";
    emitOnline(gateway, user.id);
    return c.json({ success: true });
  });
  site.post("/api/v5/notifications/send", (c) => {
    const { notification } = bodyOf<{
      notification: { type: string; message: string; userGroups?: string[]; userIds?: number[] };
    }>(c);
    const { type, message, userGroups = [], userIds = [] } = notification;
    world.notifications.push({ at: clock.now(), type, message, to: [...userGroups, ...userIds].join(", ") });
    return c.json({ success: true });
  });
  site.get("/api/v5/settings", (c) =>
    c.json({
      success: true,
      settings: {
        default_currency: { value: "EUR" },
        system_language: { value: world.settings.language },
        timezone: { value: world.settings.timeZone },
      },
    }),
  );
}
