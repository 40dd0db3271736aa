import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import avito from "gangway-avito";
import avitoPackage from "gangway-avito/package.json" with { type: "json" };
import demo from "gangway-demo";
import demoPackage from "gangway-demo/package.json" with { type: "json" };
import facebook from "gangway-facebook";
import facebookPackage from "gangway-facebook/package.json" with { type: "json" };
import http from "gangway-http";
import httpPackage from "gangway-http/package.json" with { type: "json" };
import instagram from "gangway-instagram";
import instagramPackage from "gangway-instagram/package.json" with { type: "json" };
import max from "gangway-max";
import maxPackage from "gangway-max/package.json" with { type: "json" };
import { hasApp } from "gangway-messenger/apps";
import { errorText } from "gangway-messenger/errors";
import { createExplain } from "gangway-messenger/explanations";
import { type ChannelAdapter, PORT_VERSION } from "gangway-messenger/port";
import telegram from "gangway-telegram";
import telegramPackage from "gangway-telegram/package.json" with { type: "json" };
import vk from "gangway-vk";
import vkPackage from "gangway-vk/package.json" with { type: "json" };
import webchat from "gangway-webchat";
import webchatPackage from "gangway-webchat/package.json" with { type: "json" };
import whatsapp from "gangway-whatsapp";
import whatsappPackage from "gangway-whatsapp/package.json" with { type: "json" };
import satisfies from "semver/functions/satisfies.js";
import * as z from "zod";
import { abilitiesOf } from "./module/channels/abilities.ts";
import { givenIn, settingsOf } from "./settings.ts";

/** Metadata from a package's package.json; `gangway-kit level` computes `level`. */
interface About {
  package: string;
  version?: string;
  license?: string;
  level?: string;
}
/** A package named in MESSENGERS: its adapter, or why it was refused, in English for the operator. */
export type Installed = About & ({ adapter: ChannelAdapter } | { refused: string });

/** Messengers bundled with the server. Only this file imports their packages. */
const OWN: [ChannelAdapter, object][] = [
  [webchat, webchatPackage],
  [telegram, telegramPackage],
  [whatsapp, whatsappPackage],
  [facebook, facebookPackage],
  [instagram, instagramPackage],
  [max, maxPackage],
  [vk, vkPackage],
  [avito, avitoPackage],
  [http, httpPackage],
  [demo, demoPackage],
];
export const adapters = OWN.map(([adapter]) => adapter);

/** The kind's notes that may expire or be erased. */
export const erasableNotes = ({ kind, notes }: Pick<ChannelAdapter, "kind" | "notes">) => [
  ...(notes?.expires ?? []).map((prefix) => ({ kind, prefix, ofStep: notes?.ofStep?.includes(prefix) })),
  ...(notes?.lasts ?? []).map(({ prefix, days }) => ({ kind, prefix, days })),
  ...(notes?.ofCustomer ?? []).map((prefix) => ({ kind, prefix, stays: true as const })),
];

/** Finds and loads packages. */
export interface Packages {
  /** Text of its package.json; undefined: not installed. */
  manifest(name: string): string | undefined;
  /** Imports the package. */
  load(name: string): Promise<unknown>;
}

/** Packages installed beside the server. */
const BESIDE: Packages = {
  manifest(name) {
    try {
      const path = findPackageJSON(name, import.meta.url);
      return path && readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  },
  load: (name) => import(name),
};

/** Limit for one import, ms: a package that never finishes loading must not keep the server from starting. */
const LOAD_MS = 10_000;
const NAME = /^(@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*$/;

const manifest = z.object({
  name: z.string().default(""),
  version: z.string().optional(),
  license: z.string().optional(),
  gangway: z.object({ port: z.string(), level: z.string().optional() }).optional(),
});

/** The bundled packages, with metadata and adapter. */
export const own: (About & { adapter: ChannelAdapter })[] = OWN.map(([adapter, json]) => {
  const { name, version, license, gangway } = manifest.parse(json);
  return { package: name, version, license, level: gangway?.level, adapter };
});

const isFunction = z.custom<() => unknown>((value) => typeof value === "function");
/** Adapter members that the server uses unconditionally. */
const shape = z.looseObject({
  kind: z.string().regex(/^[a-z][a-z\d-]{0,31}$/),
  title: z.string().min(1),
  settings: z.looseObject({ parse: isFunction, safeParse: isFunction }),
  words: z.looseObject({ en: z.looseObject({}), es: z.looseObject({}), ru: z.looseObject({}) }),
  pace: z.looseObject({ perSecond: z.number().positive(), perChat: isFunction }),
  sendIdempotency: z.enum(["native", "lookup", "none"]),
  ...{ features: isFunction, capabilities: isFunction, bodyLimit: isFunction, open: isFunction },
});

type Env = Record<string, string | undefined>;

/** Imports the packages listed in MESSENGERS, in order. Never throws: the server starts without refused packages. */
export async function installedMessengers(env: Env, packages = BESIDE): Promise<Installed[]> {
  const names = env.MESSENGERS ?? "";
  const all: Installed[] = [];
  const owners = new Map(adapters.map(({ kind }) => [kind, "this server"]));
  for (const name of new Set(names.split(",").flatMap((each) => each.trim() || []))) {
    const found = await installed(name, env, packages).catch((error: unknown) => ({
      ...{ package: name, refused: `it fails when it is loaded: ${errorText(error)}` },
    }));
    const owner = "adapter" in found ? owners.get(found.adapter.kind) : undefined;
    if ("adapter" in found && owner) {
      const { adapter, ...rest } = found;
      all.push({ ...rest, refused: `its kind "${adapter.kind}" is that of ${owner}` });
      continue;
    }
    if ("adapter" in found) owners.set(found.adapter.kind, name);
    all.push(found);
  }
  return all;
}

async function installed(name: string, env: Env, packages: Packages): Promise<Installed> {
  const refuse = (refused: string, known: object = {}): Installed => ({ package: name, ...known, refused });
  if (!NAME.test(name)) return refuse("this is no name of a package");
  const text = packages.manifest(name);
  if (text === undefined) return refuse("it is not installed beside the server");
  const { version, license, gangway } = manifest.parse(JSON.parse(text));
  const known = { version, license, level: gangway?.level };
  if (!gangway) return refuse('its package.json has no "gangway": {"port": …}, so it is no messenger', known);
  if (!satisfies(PORT_VERSION, gangway.port))
    return refuse(`it is written for port ${gangway.port}, and this server has ${PORT_VERSION}`, known);
  const exported = await inTime(packages.load(name));
  const { default: adapter } = Object(exported) as { default?: ChannelAdapter };
  const read = shape.safeParse(adapter);
  if (!read.success || !adapter) {
    const [issue] = read.error?.issues ?? [];
    return refuse(`its default export is no adapter (${issue?.path.join(".") || "nothing"})`, known);
  }
  // A package that declares one of these could read its value, or reveal what the log masks.
  const names = new Set(settingsOf(adapters).map((setting) => setting.name));
  const taken = Object.keys(adapter.serverSettings?.shape ?? {}).find((each) => names.has(each));
  if (taken) return refuse(`its setting ${taken} is one of the server's own`, known);
  tryOut(adapter, env);
  return { package: name, ...known, adapter };
}

/** Makes the calls that the server makes at its start, where an error would end the process. Throws. */
function tryOut(adapter: ChannelAdapter, env: Env): void {
  const { serverSettings, explanations = [], notes } = adapter;
  settingsOf([adapter]);
  const read = serverSettings?.safeParse(givenIn(env));
  const [issue] = read?.error?.issues ?? [];
  if (issue) throw new Error(`${issue.path.join(".")} ${issue.message}`);
  createExplain(explanations);
  z.array(z.string()).parse([...(notes?.expires ?? []), ...(notes?.ofStep ?? []), ...(notes?.ofCustomer ?? [])]);
  abilitiesOf(adapter);
  if (hasApp(adapter)) adapter.app.isSetUp(read?.data ?? {});
}

/** Rejects if `work` takes longer than LOAD_MS. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${LOAD_MS / 1_000} s`)), LOAD_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The bundled adapters and the accepted installed ones. */
export const withInstalled = (installed: Installed[]): ChannelAdapter[] => [
  ...adapters,
  ...installed.flatMap((each) => ("adapter" in each ? each.adapter : [])),
];
