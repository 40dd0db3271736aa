import type { Clock } from "../../domain/clock.ts";
import { createLoop, type Loop } from "../../domain/loop.ts";
import { type Engine, first } from "../tables/engine.ts";
import { NOW } from "./leases.ts";

// What one process stores as due, another claims: all go by the database's time, whatever their machines' clocks say.

const LOOK_MS = 5_000;

/** Has the clock follow the database's, if it can. Resolves once it does, with what goes on with that. */
export async function followTime({ read }: Pick<Engine, "read">, clock: Clock): Promise<Loop | undefined> {
  if (!clock.follow) return undefined;
  const round = async () => {
    const asked = clock.monotonic();
    const row = await read(() => first<{ now: number }>(`SELECT ${NOW} AS now`));
    if (row) clock.follow?.(row.now, row.now + clock.monotonic() - asked);
  };
  await round();
  // A lost connection is reported elsewhere.
  const loop = createLoop({ clock, everyMs: LOOK_MS, waitsFirst: true, round, failed: () => undefined });
  void loop.start();
  return loop;
}
