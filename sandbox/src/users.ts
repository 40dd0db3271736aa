import type { User, World } from "./world.ts";

/** By the id that the CRM's API knows. */
export const userBy = ({ users }: World, id: unknown): User | undefined =>
  [...users.values()].find(({ externalId }) => externalId === String(id));

export function addUser(world: World, firstName: string, lastName: string, now: number, technical = false): User {
  const id = world.nextId();
  const username = `${firstName} ${lastName}`.trim().toLowerCase().replaceAll(/\s+/g, ".");
  // The account's owner is the first.
  const isAdmin = world.users.size === 0;
  const user: User = {
    id,
    externalId: String(world.users.size + 1),
    firstName,
    lastName,
    username,
    email: `${username}@quay.example`,
    isAdmin,
    groups: isAdmin ? ["manager", "director"] : ["manager"],
    token: crypto.randomUUID().replaceAll("-", ""),
    online: !technical,
    connected: false,
    available: true,
    active: true,
    technical,
    revokedAt: null,
    status: "free",
    createdAt: now,
    updatedAt: null,
  };
  world.users.set(id, user);
  return user;
}
