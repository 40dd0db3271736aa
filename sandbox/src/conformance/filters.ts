import { contractJudge } from "../judge.ts";
import type { Stage } from "./stage.ts";

const LISTS: Record<"gateway" | "bot", string[]> = {
  gateway: ["/channels"],
  bot: ["/bots", "/channels", "/chats", "/customers", "/dialogs", "/members", "/messages", "/my/commands", "/users"],
};
const VALUES: Record<string, string> = {
  since: "2020-01-01T00:00:00Z",
  until: "2030-01-01T00:00:00.5Z",
  types: "telegram",
  channel_type: "telegram",
  role: "responsible",
  state: "active",
  type: "text",
  scope: "public",
  customer_external_id: "u1",
  external_id: "u1",
  name: "run",
  ...Object.fromEntries(
    ["active", "assign", "online", "self", "include_mass_communication"].map((name) => [name, "true"]),
  ),
};

/** Every filter of every list, singly and all together. Filters without a sample text are numbers. */
export async function driveFilters({ transport, bot }: Stage): Promise<void> {
  const judge = contractJudge();
  for (const side of ["gateway", "bot"] as const)
    for (const path of LISTS[side]) {
      const filters = (judge.operation(side, "GET", path)?.query ?? []).map(
        ({ name }) => `${name}=${VALUES[name] ?? 7}`,
      );
      for (const filter of [...filters, filters.join("&")])
        await (side === "bot" ? bot : transport)("GET", `${path}?${filter}`);
    }
}
