import { Overload } from "../../src/domain/delivery.ts";

/** The bound that refuses it, or "taken". */
export const boundOf = (accepting: Promise<unknown>): Promise<string> =>
  accepting.then(
    () => "taken",
    (error: unknown) => (error instanceof Overload ? error.bound : String(error)),
  );
