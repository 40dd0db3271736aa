import { loadArchive } from "../archive/file.ts";
import { replaceAccount } from "../archive/replace.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { SEEDS, type Seed, SIZES } from "./sizes.ts";

const isSeed = (text: string): text is Seed => (SEEDS as readonly string[]).includes(text);

/** Makes the account a new one with a shop. */
export async function seedShop(gateway: Gateway, seed: Seed): Promise<void> {
  // Loaded on use: serving starts without it.
  const { seededWorld } = await import("./shop.ts");
  replaceAccount(gateway.world, seededWorld(gateway, SIZES[seed]));
}

/** Fills a new account with a shop, or from an archive's file. Throws an Error that names the file and its bad line. */
export async function seedAccount(gateway: Gateway, seed: string): Promise<void> {
  if (isSeed(seed)) return seedShop(gateway, seed);
  try {
    await loadArchive(gateway.world, seed);
  } catch (error) {
    throw new Error(`--seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
