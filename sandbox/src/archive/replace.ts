import type { World } from "../world.ts";
import { partOf, partsOf } from "./parts.ts";

/** Makes the account the other one. */
export function replaceAccount(world: World, by: World): void {
  const parts = partsOf(world);
  for (const part of parts.values()) part.clear(world);
  for (const [table, part] of partsOf(by))
    for (const line of part.lines(by)) (parts.get(table) ?? partOf(parts, table))?.put(world, line);
}
