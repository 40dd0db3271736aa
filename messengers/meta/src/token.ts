import * as z from "zod";
import { id } from "./envelope.ts";
import type { Graph } from "./graph.ts";
import { GraphError } from "./verdict.ts";

/** Of `GET /debug_token`; times in seconds, 0: never. */
const debugged = z.object({
  data: z.object({
    app_id: id.nullish(),
    user_id: id.nullish(),
    is_valid: z.boolean().nullish(),
    expires_at: z.number().nullish(),
    data_access_expires_at: z.number().nullish(),
    scopes: z.array(z.string()).nullish(),
    error: z.object({ message: z.string() }).nullish(),
  }),
});

export interface TokenFacts {
  appId?: string;
  /** Whose token it is, by the app's own id for them. */
  userId?: string;
  isValid: boolean;
  scopes: string[];
  /** ms since 1970; undefined: never. */
  expiresAt?: number;
}

export interface Inspected {
  graph: Graph;
  token: string;
  /**
   * Asks as the operator's app if the token is of that app: Meta tells an app about its tokens, but not always their
   * owners.
   */
  appToken?: string;
}

/** What Meta says about a token. Undefined if Meta does not answer that. */
export async function debugToken(
  { graph, token, appToken }: Inspected,
  signal: AbortSignal,
): Promise<TokenFacts | undefined> {
  const query = { input_token: token };
  const request = {
    method: "GET",
    path: "debug_token",
    query,
    result: debugged,
    what: "a question about the token",
  } as const;
  const ask = async (headers?: Record<string, string>) => {
    try {
      return factsOf((await graph.call({ ...request, headers }, signal)).data);
    } catch (error) {
      // Some tokens may not ask; that says nothing about their other rights.
      if (error instanceof GraphError && error.verdict.type !== "retry") return undefined;
      throw error;
    }
  };
  return (appToken && (await ask({ authorization: `Bearer ${appToken}` }))) || ask();
}

const factsOf = (said: z.infer<typeof debugged>["data"]): TokenFacts => ({
  appId: said.app_id ?? undefined,
  userId: said.user_id ?? undefined,
  isValid: said.is_valid !== false,
  scopes: said.scopes ?? [],
  expiresAt: said.expires_at ? said.expires_at * 1000 : undefined,
});

const DAY_MS = 86_400_000;
/** How long before a token expires people are told, ms. */
const WARNING_MS = 10 * DAY_MS;

/** Undefined, or that the token expires in a few days. */
export function expiryTrouble({ expiresAt }: Pick<TokenFacts, "expiresAt">, now: number): string | undefined {
  if (expiresAt === undefined || expiresAt - now > WARNING_MS) return undefined;
  if (expiresAt <= now) return "the token has expired";
  return `the token expires soon: ${new Date(expiresAt).toISOString().slice(0, 10)}`;
}

/** The rights of `needed` that the token lacks; none if its rights are unknown. */
export const missingScopes = ({ scopes }: Pick<TokenFacts, "scopes">, needed: readonly string[]): string[] =>
  scopes.length === 0 ? [] : needed.filter((scope) => !scopes.includes(scope));
