import { sameSecret } from "../domain/ids.ts";
import { isOverNested } from "../domain/nesting.ts";
import type { Receipt } from "./port.ts";

/** A receipt without events. `unknown` goes to the log. */
export const emptyReceipt = (status: number, unknown?: string): Receipt => ({
  events: [],
  reply: new Response(null, { status }),
  ...(unknown !== undefined && { unknown }),
});

/** Not worth a repeat, so it is answered with 200. */
export const noUpdate = (): Receipt => emptyReceipt(200, "a body that is no update");

/** The JSON of a webhook that a secret in a header proves, or the receipt that refuses it. Compares in constant time. */
export async function readWebhook(
  request: Request,
  { header, secret }: { header: string; secret: string },
): Promise<{ body: unknown } | { refusal: Receipt }> {
  if (!sameSecret(request.headers.get(header) ?? "", secret)) return { refusal: emptyReceipt(401) };
  if (request.method !== "POST") return { refusal: emptyReceipt(405) };
  const text = await request.text();
  if (isOverNested(text)) return { refusal: emptyReceipt(400, "a body that is nested too deeply") };
  try {
    return { body: JSON.parse(text) };
  } catch {
    return { refusal: noUpdate() };
  }
}
