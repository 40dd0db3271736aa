import type { Core } from "gangway-meta/emulator/core";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import type { DialogKey } from "./network.ts";
import { type BusinessNumber, type Customer, newUserId, type World } from "./world.ts";

// The state at the start: one app, an account with two numbers, a stranger's account, two customers.

export const ACCOUNT_ID = "215500000000101";
export const NUMBER_ID = "315500000000201";
export const COEXISTENCE_ID = "315500000000202";
/** Of somebody else; no token of the app sees them. */
export const FOREIGN_ACCOUNT_ID = "215500000000901";
export const FOREIGN_NUMBER_ID = "315500000000901";
export const TOKEN = "EAAQuaySandboxSystemUserToken0000000000000000000000000000000001";
export const DIALOG_KEY = "QuaySandboxDialogKey00000001";
export const RIGHTS = ["whatsapp_business_messaging", "whatsapp_business_management", "business_management"];

export function populate({ core, world, dialogKeys }: { core: Core; world: World; dialogKeys: DialogKey[] }): void {
  core.apps.add(DEMO_APP);
  addAccount(world, ACCOUNT_ID, "Quay & Co.");
  addAccount(world, FOREIGN_ACCOUNT_ID, "Somebody else");
  addNumber(world, { id: NUMBER_ID, account: ACCOUNT_ID, digits: "15550100142", verifiedName: "Quay & Co." });
  addNumber(world, {
    id: COEXISTENCE_ID,
    account: ACCOUNT_ID,
    digits: "15550100143",
    verifiedName: "Quay workshop",
    isCoexistence: true,
  });
  addNumber(world, {
    id: FOREIGN_NUMBER_ID,
    account: FOREIGN_ACCOUNT_ID,
    digits: "15550100199",
    verifiedName: "Somebody else",
  });
  core.tokens.add({ value: TOKEN, app: DEMO_APP.id, rights: RIGHTS, nodes: [ACCOUNT_ID, NUMBER_ID, COEXISTENCE_ID] });
  dialogKeys.push({ key: DIALOG_KEY, number: NUMBER_ID });
  core.tokens.add({ value: DIALOG_KEY, app: DEMO_APP.id, rights: RIGHTS, nodes: [ACCOUNT_ID, NUMBER_ID] });
  addCustomer(world, core.random, { name: "Robin Field", phone: "15550100042" });
  addCustomer(world, core.random, { name: "Wren", phone: "15550100077", username: "wren.knots", isHidden: true });
}

function addAccount(world: World, id: string, name: string): void {
  world.accounts.set(id, { id, name, subscribed: new Map(), templates: new Map() });
}

type NewNumber = Pick<BusinessNumber, "id" | "account" | "digits" | "verifiedName"> & Partial<BusinessNumber>;

export function addNumber(world: World, given: NewNumber): BusinessNumber {
  const { digits } = given;
  const number: BusinessNumber = {
    n: world.numbers.size + 1,
    display: `+${digits.slice(0, 1)} ${digits.slice(1, 4)}-${digits.slice(4, 7)}-${digits.slice(7)}`,
    nameStatus: "APPROVED",
    quality: "GREEN",
    tier: "TIER_1K",
    status: "CONNECTED",
    isCoexistence: false,
    isRegistered: true,
    ...given,
  };
  world.numbers.set(number.id, number);
  return number;
}

/** Numbers of one account. */
const NUMBERS = 2;

/** One more number, with a token for it alone; every other one begins an account. */
export function newNumber({ core, world }: { core: Core; world: World }, { name }: { name: string }) {
  const serial = String(world.numbers.size).padStart(4, "0");
  const last = [...world.accounts.values()].at(-1)?.id ?? "";
  const isLast = [...world.numbers.values()].filter((number) => number.account === last).length < NUMBERS;
  const account = isLast && last !== FOREIGN_ACCOUNT_ID ? last : `21550000001${serial}`;
  if (account !== last) addAccount(world, account, name);
  const number = addNumber(world, {
    id: `31550000001${serial}`,
    account,
    digits: `1555011${serial}`,
    verifiedName: name,
  });
  const token = core.tokens.add({ app: DEMO_APP.id, rights: RIGHTS, nodes: [account, number.id] });
  return { id: number.id, account, token: token.value, appSecret: DEMO_APP.secret };
}

export function addCustomer(
  world: World,
  random: () => number,
  given: Pick<Customer, "name" | "phone"> & Partial<Customer>,
): Customer {
  const customer: Customer = {
    n: world.customers.length + 1,
    userId: newUserId(random),
    isHidden: false,
    isOnline: true,
    readsAtOnce: false,
    blocked: new Set(),
    optedOut: new Set(),
    ...given,
  };
  world.customers.push(customer);
  return customer;
}
