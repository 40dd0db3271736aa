import { loadArchive } from "../archive/file.ts";
import type { Gateway } from "../gateway/gateway.ts";

/** Fills a new account from a file. Throws an Error that names the file and its bad line. */
export async function seedAccount(gateway: Gateway, file: string): Promise<void> {
  try {
    await loadArchive(gateway.world, file);
  } catch (error) {
    throw new Error(`--seed ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
