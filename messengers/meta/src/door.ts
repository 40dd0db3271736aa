import { isOverNested } from "gangway-messenger/call";
import { sameSecret } from "gangway-messenger/ids";
import type { Receipt } from "gangway-messenger/port";
import { emptyReceipt, noUpdate } from "gangway-messenger/webhooks";
import { type Envelope, readEnvelope } from "./envelope.ts";
import { parseExactly } from "./exact-json.ts";
import { isSigned, SIGNATURE_HEADER } from "./signature.ts";

/** Largest body that Meta sends, bytes; it batches up to 1,000 changes. */
export const BODY_BYTES = 3 * 1024 * 1024;
/** Maximum number of values in such a body: at most about one in nine bytes is a comma. */
const MAX_VALUES = 350_000;

const utf8 = new TextDecoder();

/** Meta's check of an address: a GET with the verify token, answered with its challenge. Undefined: no such check. */
export function handshake(request: Request, verifyToken: string): Response | undefined {
  if (request.method !== "GET") return undefined;
  const { searchParams: query } = new URL(request.url);
  const isOurs = verifyToken !== "" && sameSecret(query.get("hub.verify_token") ?? "", verifyToken);
  if (query.get("hub.mode") !== "subscribe" || !isOurs) return new Response(null, { status: 403 });
  return new Response(query.get("hub.challenge") ?? "", { headers: { "content-type": "text/plain" } });
}

/** `unknown`: what was skipped, for the log. */
type Read = { batch: Envelope; unknown?: string } | { refusal: Receipt };
const LEFT_OUT = "a part of a batch that this version cannot read";

/** The batch in a webhook that is signed with `secret`, or the receipt that refuses it. */
export const readBatch = (request: Request, secret: string): Promise<Read> =>
  readProven(request, SIGNATURE_HEADER, (proof, body) => isSigned(proof, body, secret));

/** The same for webhooks proven by another header. Without that header the body is not read. */
export async function readProven(
  request: Request,
  header: string,
  isProven: (proof: string, body: Uint8Array) => boolean,
): Promise<Read> {
  if (request.method !== "POST") return { refusal: emptyReceipt(405) };
  const proof = request.headers.get(header);
  if (proof === null) return { refusal: emptyReceipt(401) };
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (!isProven(proof, bytes)) return { refusal: emptyReceipt(401) };
  const text = utf8.decode(bytes);
  if (isOverNested(text, MAX_VALUES)) return { refusal: emptyReceipt(400, "a body that is nested too deeply") };
  try {
    const read = readEnvelope(parseExactly(text));
    if (!read) return { refusal: noUpdate() };
    return { batch: read.batch, ...(!read.isWhole && { unknown: LEFT_OUT }) };
  } catch {
    return { refusal: noUpdate() };
  }
}
