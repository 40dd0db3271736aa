import { DeliveryError } from "../../domain/delivery.ts";
import { type Graph, onceMore } from "./graph.ts";
import { debugToken, missingScopes } from "./token.ts";
import { type GraphError, isPermission } from "./verdict.ts";

/** A refusal of rights ends the login only if the token lacks one: it may concern one call, or one customer. */
export const rightsCheck =
  (plain: Graph, token: string, needed: readonly string[], isOfRights = isPermission) =>
  async (error: GraphError, signal: AbortSignal): Promise<Error> => {
    if (!isOfRights(error.refusal)) return onceMore(error);
    const known = await debugToken(plain, token, signal);
    const missing = known ? missingScopes(known, needed) : [];
    return missing.length > 0 ? lacking(missing) : onceMore(error);
  };

export const lacking = (missing: readonly string[]): DeliveryError =>
  new DeliveryError({ type: "reconnect" }, `the token lacks a permission: ${missing.join(", ")}`);
