import type * as z from "zod";
import { shapeFaults } from "./shape.ts";

/** Settings of an emulator that can be changed while it runs. */
export interface Switches<Values> {
  values(): Values;
  /** Throws an Error that names each bad one. */
  set(change: unknown): Values;
  clear(): void;
}

export function createSwitches<Values extends object>(
  shape: z.ZodType<Values>,
  initial: object = {},
): Switches<Values> {
  let values = shape.parse(initial);
  return {
    values: () => values,
    set(change) {
      const parsed = shape.safeParse({ ...values, ...(change as object) });
      if (!parsed.success) throw new Error(shapeFaults(parsed.error));
      values = parsed.data;
      return values;
    },
    clear() {
      values = shape.parse(initial);
    },
  };
}
