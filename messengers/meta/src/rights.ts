import { DeliveryError } from "gangway-messenger/errors";
import { onceMore } from "./graph.ts";
import { missingScopes, type TokenFacts } from "./token.ts";
import { type GraphError, isPermission } from "./verdict.ts";

interface Rights {
  needed: readonly string[];
  /** Default: `isPermission`. */
  isOfRights?: typeof isPermission;
  /** What Meta says about the token; undefined: nothing. */
  known(signal: AbortSignal): Promise<TokenFacts | undefined>;
  /** A harmless call that needs one of them, for tokens about which Meta says nothing. */
  tried?: { right: string; call(signal: AbortSignal): Promise<unknown> };
}

/** A refusal over rights ends the login only if the token lacks one: it may concern one call, or one customer. */
export const rightsCheck =
  ({ needed, isOfRights = isPermission, known, tried }: Rights) =>
  async (error: GraphError, signal: AbortSignal): Promise<Error> => {
    if (!isOfRights(error.refusal)) return onceMore(error);
    const token = await known(signal);
    if (token) {
      const missing = missingScopes(token, needed);
      return missing.length > 0 ? lacking(missing) : onceMore(error);
    }
    const refused = await tried?.call(signal).catch((reason: unknown) => reason);
    const isRefused = refused instanceof DeliveryError && refused.verdict.type === "reconnect";
    return tried && isRefused ? lacking([tried.right]) : onceMore(error);
  };

export const lacking = (missing: readonly string[]): DeliveryError =>
  new DeliveryError({ type: "reconnect" }, `the token lacks a permission: ${missing.join(", ")}`);
