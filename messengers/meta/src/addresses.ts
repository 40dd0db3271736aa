import { DeliveryError } from "gangway-messenger/errors";
import { GraphError } from "./verdict.ts";

// The address to which Meta sends webhooks, as it names it.

export const hostOf = (url: string | undefined): string => (url && URL.canParse(url) ? new URL(url).host : "…");

/** Another server's address. Other channels of this server pass on what is not theirs. */
export const isForeign = (url: string | undefined, doorUrl: string): boolean =>
  Boolean(url) && hostOf(url) !== hostOf(doorUrl);

/** Meta calls the address while it subscribes it. */
export function unreachable(error: unknown): never {
  if (error instanceof GraphError && error.verdict.type === "reject")
    throw new DeliveryError(
      { type: "reject", code: "general" },
      `Meta has not accepted this server's address. ${error.message}`,
    );
  throw error;
}
