import { fillOrders } from "./crm/orders/demo.ts";
import { DICTIONARIES } from "./crm/reference/dictionaries.ts";
import { createDictionaries } from "./crm/reference/dictionary.ts";
import { createJournal } from "./crm/resource/journal.ts";
import { OLD_PATHS, SANDBOX_KEY, SCOPES } from "./crm/rights.ts";
import { fillSegments } from "./crm/segments.ts";
import { fillCatalogue, seedProperties } from "./crm/store/goods.ts";
import { createTables } from "./crm/tables.ts";
import { crmTime } from "./crm/times.ts";
import { seedUserGroups } from "./crm/users.ts";
import { createMessageIndex } from "./message-index.ts";
import { addUser } from "./users.ts";
import type { World } from "./world.ts";

export function createWorld(now: number): World {
  const journal = createJournal();
  const world: World = {
    keys: new Map([[SANDBOX_KEY, { scopes: [...SCOPES], credentials: [...OLD_PATHS] }]]),
    versions: ["3.0", "4.0", "5.0"],
    gatewayOn: true,
    chatsOn: true,
    unpaid: false,
    corporateOn: false,
    modules: new Map(),
    users: new Map(),
    bots: new Map(),
    customers: new Map(),
    channels: new Map(),
    templates: [],
    chats: new Map(),
    files: new Map(),
    tables: createTables(journal),
    journal,
    histories: new Map(),
    combined: new Map(),
    dictionaries: createDictionaries(DICTIONARIES, crmTime(now)),
    customFields: new Map(),
    customDictionaries: new Map(),
    callbacks: [],
    productProperties: seedProperties(),
    userGroups: seedUserGroups(),
    notifications: [],
    settings: { language: "en", timeZone: "Europe/Malta" },
    ...createIds(),
    ...createMessageIndex(),
  };
  fillCatalogue(world.tables, crmTime(now));
  fillSegments(world.tables, crmTime(now));
  fillOrders(world.tables);
  addUser(world, "Alex", "Agent", now);
  return world;
}

function createIds(): Pick<World, "nextId" | "lastId" | "continueAfter"> {
  // Never reuse an earlier run's ids: a module may have kept its database.
  let last = Date.now() % 1_000_000_000;
  return {
    nextId: () => {
      last += 1;
      return last;
    },
    lastId: () => last,
    continueAfter: (id) => {
      last = id;
    },
  };
}
