import type { Context } from "hono";
import type { ErasureRequests } from "../../module/account/erasure-requests.ts";
import { ErasedPage } from "../../pages/erased.tsx";
import type { RateLimit } from "../doors/rate-limit.ts";
import type { AddressOf, Env } from "../serving/request.ts";
import { frameOf } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";

interface ErasedParts {
  moduleName: string;
  stateOf: ErasureRequests["state"];
  guesses: RateLimit;
  addressOf: AddressOf;
}

/** `/erased/:code`: shows a person whether the erasure they requested is done. Whoever has the code may see it. */
export function erasedPage({ moduleName, stateOf, guesses, addressOf }: ErasedParts) {
  const say = createSay(moduleName);
  return async (c: Context<Env>): Promise<Response> => {
    const state = await stateOf(c.req.param("code") ?? "");
    if (!state) return guesses.take(addressOf(c)) ? say(c, 404, "notFound") : say(c, 429, "tooMany");
    return c.html(ErasedPage({ ...(await frameOf(c, moduleName)), ...state }));
  };
}
