import type { World } from "../../world.ts";
import type { Entry } from "../records.ts";
import type { Actor } from "../resource/change.ts";

// What is meant where a call names no entry of a dictionary. Few dictionaries have `defaultForApi`, some `default` alone.

type Flag = "defaultForCrm" | "defaultForApi" | "default";

/** The code of the dictionary's entry for what an order leaves out, by whoever makes the order; undefined: none is flagged. */
export const defaultCode = (world: World, dictionary: string, { source }: Actor): unknown =>
  flagged(world, dictionary, source === "api" ? "defaultForApi" : "defaultForCrm")?.code;

/** The dictionary's entry with the flag, else its first. */
export const defaultEntry = (world: World, dictionary: string, flag: Flag): Entry =>
  flagged(world, dictionary, flag) ?? entriesOf(world, dictionary)[0] ?? {};

/** The code of the shop. */
export const defaultShop = (world: World): string => String(defaultEntry(world, "sites", "defaultForCrm").code ?? "");

/** The currency of a shop, else of the default one. */
export const currencyOf = (world: World, site?: unknown): unknown =>
  world.dictionaries.get("sites")?.get(String(site))?.currency ??
  defaultEntry(world, "sites", "defaultForCrm").currency;

/** The price type that offers' prices are in. */
export const basePriceType = (world: World): string => String(defaultEntry(world, "price-types", "default").code ?? "");

const flagged = (world: World, dictionary: string, flag: Flag): Entry | undefined =>
  entriesOf(world, dictionary).find((entry) => entry[flag] === true);

const entriesOf = ({ dictionaries }: World, dictionary: string): Entry[] => [
  ...(dictionaries.get(dictionary)?.values() ?? []),
];
