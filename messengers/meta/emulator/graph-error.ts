import { randomText } from "gangway-messenger/kit/emulator/random";

/** The `error` of a Graph answer, without its trace id. */
export interface GraphError {
  message: string;
  type: string;
  code: number;
  error_subcode?: number;
  is_transient?: boolean;
  error_user_title?: string;
  error_user_msg?: string;
  error_data?: { messaging_product: string; details: string };
}

/** A call refused as Graph refuses it. */
export class GraphRefusal extends Error {
  readonly status: number;
  readonly body: GraphError;
  constructor(status: number, body: GraphError) {
    super(body.message);
    this.name = "GraphRefusal";
    this.status = status;
    this.body = body;
  }
}

interface More extends Partial<Omit<GraphError, "message" | "code">> {
  status?: number;
}

/** Messages name their code: `(#100) Invalid parameter`. `OAuthException` is Graph's type for nearly everything. */
export const refusal = (code: number, text: string, { status = 400, ...more }: More = {}): GraphRefusal =>
  new GraphRefusal(status, { message: `(#${code}) ${text}`, type: "OAuthException", code, ...more });

/** Of token and id errors, whose messages name no code. */
export const plainRefusal = (code: number, message: string, { status = 400, ...more }: More = {}): GraphRefusal =>
  new GraphRefusal(status, { message, type: "OAuthException", code, ...more });

export const missingToken = () =>
  plainRefusal(104, "An access token is required to request this resource.", { status: 401 });
export const badToken = () =>
  plainRefusal(190, "Invalid OAuth access token - Cannot parse access token", { status: 401 });
/** Graph hides what a token may not see as if it did not exist. */
export const unknownNode = (id: string, method = "get") =>
  plainRefusal(
    100,
    `Unsupported ${method} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api`,
    { type: "GraphMethodException", error_subcode: 33 },
  );
export const unknownPath = (path: string) => plainRefusal(2500, `Unknown path components: ${path}`);
/** What Graph has and the emulator does not: named, since no client could tell otherwise. */
export const unserved = (what: string) => refusal(3, `The sandbox does not serve ${what}`);
export const unknownField = (field: string, node: string) =>
  refusal(100, `Tried accessing nonexisting field (${field}) on node type (${node})`);
export const appLimit = () =>
  refusal(4, "Application request limit reached", { status: 403, is_transient: true, error_subcode: 2446079 });
export const unknownFailure = () => plainRefusal(1, "An unknown error occurred", { status: 500, is_transient: false });
export const serviceFailure = (status = 503) =>
  plainRefusal(2, "An unexpected error has occurred. Please retry your request later.", { status, is_transient: true });

/** What Graph says with a status of its own when nothing better is known. */
export function refusalOf(status: number): GraphRefusal {
  if (status === 401) return badToken();
  if (status === 403) return refusal(10, "Application does not have permission for this action", { status });
  if (status === 429) return refusal(4, "Application request limit reached", { status, is_transient: true });
  if (status >= 500) return serviceFailure(status);
  return refusal(100, "Invalid parameter", { status });
}

/** The answer's JSON text. */
export const errorText = ({ body }: GraphRefusal, random: () => number): string =>
  JSON.stringify({ error: { ...body, fbtrace_id: `A${randomText(22, random)}` } });

const REASON: Record<number, string> = { 190: "invalid_token", 104: "invalid_token" };
/** `WWW-Authenticate` of every refusal. */
export const challengeOf = ({ code, message }: GraphError): string =>
  `OAuth "Facebook Platform" "${REASON[code] ?? "invalid_request"}" "${message.replaceAll('"', "'").replaceAll(/[^ -~]/g, "?")}"`;
