import { isOverNested } from "./call.ts";
import { sameSecret } from "./ids.ts";
import type { Receipt } from "./port.ts";

/** A receipt without events. `unknown` goes to the log. */
export const emptyReceipt = (status: number, unknown?: string): Receipt => ({
  events: [],
  reply: new Response(null, { status }),
  ...(unknown !== undefined && { unknown }),
});

/** Not worth a repeat, so it is answered with 200. */
export const noUpdate = (): Receipt => emptyReceipt(200, "a body that is not an update");

/** The header that proves a webhook, and its right value: a secret, or a signature of the body. An empty one proves nothing. */
interface Proof {
  header: string;
  secret: string | ((body: Uint8Array) => string);
}

const utf8 = new TextDecoder();

/** The JSON of a webhook that is proven, or the receipt that refuses it. Compares in constant time. */
export async function readWebhook(
  request: Request,
  { header, secret }: Proof,
): Promise<{ body: unknown } | { refusal: Receipt }> {
  const isProven = (right: string) => right !== "" && sameSecret(request.headers.get(header) ?? "", right);
  if (typeof secret === "string" && !isProven(secret)) return { refusal: emptyReceipt(401) };
  if (request.method !== "POST") return { refusal: emptyReceipt(405) };
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (typeof secret === "function" && !isProven(secret(bytes))) return { refusal: emptyReceipt(401) };
  const text = utf8.decode(bytes);
  if (isOverNested(text)) return { refusal: emptyReceipt(400, "a body that is nested too deeply") };
  try {
    return { body: JSON.parse(text) };
  } catch {
    return { refusal: noUpdate() };
  }
}
