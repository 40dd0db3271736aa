import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { emitOnline } from "../gateway/people.ts";
import { Refusal } from "../refusal.ts";
import { userBy } from "../users.ts";
import type { User, World } from "../world.ts";
import { type ListFilters, listed, oneOf } from "./listing.ts";
import type { Entries, Entry } from "./records.ts";
import { equal, flags, period } from "./resource/filters.ts";
import { crmTime } from "./times.ts";

const ANY_GROUP = {
  isDeliveryMen: false,
  deliveryTypes: [],
  breakdownOrderTypes: [],
  breakdownSites: [],
  breakdownOrderMethods: [],
  grantedOrderTypes: ["main"],
  grantedSites: ["shop"],
};
const USER_GROUPS: readonly Entry[] = [
  { id: 1, name: "Managers", code: "manager", isManager: true, isPosManager: true, ...ANY_GROUP },
  { id: 2, name: "Directors", code: "director", isManager: false, isPosManager: false, ...ANY_GROUP },
];

/** By code. */
export const seedUserGroups = (): Entries => new Map(USER_GROUPS.map((group) => [String(group.code), group]));

/** `isPosManager` is of no answer. */
function userOf({ userGroups }: World, user: User): Entry {
  const groups = user.groups.map((code) => userGroups.get(code)).filter((group) => group !== undefined);
  const { externalId, createdAt, active, email, firstName, lastName, status, online, isAdmin, id } = user;
  return {
    id: Number(externalId),
    createdAt: crmTime(createdAt),
    active,
    email,
    firstName,
    ...(lastName && { lastName }),
    status,
    online,
    isAdmin,
    isManager: groups.some(({ isManager }) => isManager === true),
    isPosManager: groups.some(({ isPosManager }) => isPosManager === true),
    groups: groups.map(({ id, name, code }) => ({ id, name, code })),
    mgUserId: id,
  };
}

const codes = ({ groups }: Entry) => (groups as Entry[]).map(({ code }) => code);
const USER_FILTERS: ListFilters<Entry> = {
  ...equal({ email: "email", status: "status" }),
  ...flags("online", "active", "isManager", "isPosManager", "isAdmin"),
  ...period("createdAt", "createdAt"),
  groups: oneOf(codes),
};

/** Users of the account, who are the agents of the chats, and their groups. */
export function userRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world, clock } = gateway;
  const shown = ({ isPosManager, ...user }: Entry): Entry => user;
  const userIn = (c: Context<Env>): User => {
    const user = userBy(world, c.req.param("id"));
    if (!user) throw new Refusal(404, "Not found", "the user exists");
    return user;
  };
  site.get("/api/v5/users", (c) => {
    const entries = [...world.users.values()].map((user) => userOf(world, user));
    return listed(c, { name: "users", entries, supported: USER_FILTERS, shown });
  });
  site.get("/api/v5/users/:id", (c) => c.json({ success: true, user: shown(userOf(world, userIn(c))) }));
  site.post("/api/v5/users/:id/status", (c) => {
    const user = userIn(c);
    Object.assign(user, { status: bodyOf<{ status: string }>(c).status, updatedAt: clock.now() });
    user.available = user.status === "free";
    emitOnline(gateway, user.id);
    return c.json({ success: true });
  });
  site.get("/api/v5/user-groups", (c) =>
    listed(c, { name: "groups", entries: world.userGroups.values(), supported: {}, shown: (group) => group }),
  );
}
