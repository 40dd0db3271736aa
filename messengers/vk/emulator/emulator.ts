import type { EmulatedCustomer, Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { Hono } from "hono";
import { apiSite } from "./api-site.ts";
import { bytesSite } from "./bytes-site.ts";
import { chatAt, controlSite } from "./control.ts";
import { type Core, createCore } from "./core.ts";
import { type Customers, createCustomers } from "./customer.ts";
import { plannable } from "./faults.ts";
import { longPollSite } from "./long-poll.ts";
import { changingMethods } from "./methods/changing.ts";
import { communityMethods } from "./methods/communities.ts";
import { readingMethods } from "./methods/reading.ts";
import { sendMethod } from "./methods/sending.ts";
import { uploadMethods } from "./methods/uploads.ts";
import { phoneSite } from "./phone.tsx";
import { addCommunity, type Chat, type Person } from "./world.ts";

export const COMMUNITY = { id: 200_000_001, name: "Sandbox Shop", screenName: "sandboxshop" };
export const SECOND = { id: 200_000_002, name: "Sandbox Outlet", screenName: "sandboxoutlet" };
export const THIRD = { id: 200_000_003, name: "Sandbox Workshop", screenName: "sandboxworkshop" };
export const TOKEN = `vk1.a.SandboxCommunityToken${"0".repeat(60)}1`;
export const SECOND_TOKEN = `vk1.a.SandboxCommunityToken${"0".repeat(60)}2`;
export const THIRD_TOKEN = `vk1.a.SandboxCommunityToken${"0".repeat(60)}3`;
export const RIGHTS = ["messages", "photos", "docs", "manage"];

export interface VkEmulator extends Emulator {
  core: Core;
  customers: Customers;
  customer: EmulatedCustomer;
  /** The nth person's chat with the nth community, counted from one. */
  chat(person?: number, community?: number): Chat;
  addPerson(firstName: string, lastName?: string): Person;
  /** Forgets everything and starts over. */
  clear(): void;
}

const METHODS = [sendMethod, ...changingMethods, ...readingMethods, ...communityMethods, ...uploadMethods];

/** VK, with three communities and some people. */
export function createEmulator(options: EmulatorOptions): VkEmulator {
  const core = createCore(options);
  const customers = createCustomers(core);
  const names = METHODS.map(({ name }) => name);
  const clear = () => {
    core.clear();
    seed(core);
  };
  seed(core);
  const site = new Hono();
  site.route("/control", controlSite(core, customers, names, clear));
  site.route("/phone", phoneSite(core, customers));
  site.route("/method", apiSite(core, METHODS));
  site.route("/longpoll", longPollSite(core));
  site.route("/", bytesSite(core));
  const chat: VkEmulator["chat"] = (person = 1, community = 1) => chatAt(core, community, person);
  return {
    ...{ site, core, customers, clear, chat, stop: core.stop, faults: plannable(core.faults, names) },
    addPerson: (firstName, lastName = "") => addPerson(core, firstName, lastName),
    customer: {
      says: (text) => customers.says(chat(), { text }),
      sees: () =>
        chat().messages.flatMap(({ from, text, isDeleted }) => (from === "customer" || isDeleted || !text ? [] : text)),
    },
    channel: () => ({ name: COMMUNITY.name, settings: { token: TOKEN } }),
    logins: () =>
      core.world.tokens.map(({ community: { name }, value }) => ({ name, values: { "Access key": value } })),
    env: () => ({ VK_API_URL: options.origin() }),
  };
}

const FIRST_PERSON = 100_000_001;

function addPerson({ world, shelf, origin }: Core, firstName: string, lastName: string): Person {
  const id = FIRST_PERSON + world.people.length;
  const bytes = paintPng(200, 200, [40, 90, (id * 37) % 200]);
  const { id: file, name } = shelf.add({ name: "face.png", mediaType: "image/png", bytes });
  // Known once the sandbox listens.
  const person: Person = {
    id,
    firstName,
    lastName,
    get photo() {
      return `${origin()}/file/${file}/${name}`;
    },
  };
  world.people.push(person);
  return person;
}

function seed(core: Core): void {
  const { world, random } = core;
  for (const [about, value] of [
    [COMMUNITY, TOKEN],
    [SECOND, SECOND_TOKEN],
    [THIRD, THIRD_TOKEN],
  ] as const) {
    const community = addCommunity(world, about, random);
    world.tokens.push({ value, community, rights: new Set(RIGHTS) });
  }
  addPerson(core, "Ada", "Reyes");
  addPerson(core, "Борис", "Орлов");
}
