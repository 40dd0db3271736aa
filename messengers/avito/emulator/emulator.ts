import type { Emulator, EmulatorFaults, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { Hono } from "hono";
import { controlSite } from "./control.ts";
import { type Customers, createCustomers } from "./customers.ts";
import { type AvitoFault, plannable } from "./faults.ts";
import { listOperations } from "./lists.ts";
import { phonePage } from "./phone.tsx";
import { createPlatform, type Platform } from "./platform.ts";
import { sendingOperations } from "./sending.ts";
import { apiSite } from "./site.ts";
import type { Account, Chat, Item } from "./world.ts";

export const SHOP: Account = {
  ...{ id: 141906442, name: "Sandbox Garage", hasPlan: true, webhooks: [] },
  ...{ clientId: "sAndB0xClient1d000001", clientSecret: "sAndB0xClientSecret0000000000000000001" },
};
/** Another seller's: the shop's token must not reach it. */
export const OTHER_SHOP: Account = {
  ...{ id: 94235311, name: "Sandbox Outlet", hasPlan: true, webhooks: [] },
  ...{ clientId: "sAndB0xClient1d000002", clientSecret: "sAndB0xClientSecret0000000000000000002" },
};
export const THIRD_SHOP: Account = {
  ...{ id: 52147633, name: "Sandbox Wheels", hasPlan: true, webhooks: [] },
  ...{ clientId: "sAndB0xClient1d000003", clientSecret: "sAndB0xClientSecret0000000000000000003" },
};
export const MAZDA: Item = {
  ...{ id: 1768287444, title: "Mazda 3 2008", price: "300 000 ₽" },
  url: "https://avito.ru/moskva/avtomobili/mazda_3_2008_1768287444",
};
const TYRES: Item = {
  ...{ id: 1768287445, title: "Шины R16, комплект", price: "12 000 ₽" },
  url: "https://avito.ru/moskva/zapchasti/shiny_r16_1768287445",
};

export interface AvitoEmulator extends Emulator, Omit<Platform, "faults"> {
  customers: Customers;
  /** The demo's customer, about the first listing. */
  firstChat(): Chat;
  faults: EmulatorFaults & { plan(fault: AvitoFault): void };
}

/** Avito with three sellers, two customers and two listings (developers.avito.ru, documents "messenger" and "auth"). */
export function createEmulator(options: EmulatorOptions): AvitoEmulator {
  const platform = createPlatform(options);
  const { world, faults } = platform;
  for (const account of [SHOP, OTHER_SHOP, THIRD_SHOP]) world.accounts.push({ ...account, webhooks: [] });
  world.people.push(
    { n: 1, id: 236487301, name: "Ирина", hasFace: true },
    { n: 2, id: 236487302, name: "Guldan", hasFace: false },
  );
  world.items.push(MAZDA, TYRES);
  const customers = createCustomers(platform);
  const operations = [...sendingOperations(platform), ...listOperations(platform)];
  const names = ["token", ...operations.map(({ id }) => id)];
  const site = new Hono();
  site.route("/", apiSite(platform, operations));
  site.route("/control", controlSite(platform, customers, names));
  site.route("/phone", phonePage(platform, customers));
  const firstChat = () => {
    const [account] = world.accounts;
    const [person] = world.people;
    if (!account || !person) throw new Error("the emulator is empty");
    return customers.chat(account, person, MAZDA);
  };
  return {
    ...platform,
    ...{ site, customers, firstChat },
    faults: plannable(faults, names),
    customer: {
      says: (text) => customers.says(firstChat(), { text }),
      sees: () => textsOf(firstChat()),
    },
    channel: () => ({
      name: SHOP.name,
      settings: { avitoClientId: SHOP.clientId, avitoClientSecret: SHOP.clientSecret },
    }),
    logins: () =>
      world.accounts.map(({ name, clientId, clientSecret }) => ({
        name,
        values: { Client_id: clientId, Client_secret: clientSecret },
      })),
    env: () => ({ AVITO_API_URL: options.origin() }),
    stop() {
      platform.courier.stop();
      world.bytes.close();
    },
  };
}

const textsOf = ({ account, messages }: Chat): string[] =>
  messages.flatMap(({ author, content }) => {
    const { text, link } = content as { text?: string; link?: { text: string } };
    const words = text ?? link?.text;
    return author === account.id && words ? [words] : [];
  });
