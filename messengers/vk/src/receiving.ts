import { isOverNested } from "gangway-messenger/call";
import { deadline } from "gangway-messenger/clock";
import { sameSecret } from "gangway-messenger/ids";
import type { Receipt } from "gangway-messenger/port";
import { emptyReceipt } from "gangway-messenger/webhooks";
import * as z from "zod";
import type { Login } from "./login.ts";
import { readEvent } from "./reading/reading.ts";
import { type Envelope, envelope } from "./wire.ts";

/** How long a request may ask VK for what it needs to be read, ms. */
const READ_MS = 8_000;
const utf8 = new TextDecoder();

/** VK accepts only these two letters. */
const taken = () => new Response("ok");

/** Events have no signature: each contains the secret, and the number of the community. */
export function receiving(login: Login): (request: Request) => Promise<Receipt> {
  const { context } = login;
  return async (request) => {
    if (request.method !== "POST") return emptyReceipt(405);
    const text = utf8.decode(await request.arrayBuffer());
    if (isOverNested(text)) return emptyReceipt(401, "a body that is nested too deeply");
    const read = envelope.safeParse(parsed(text)).data;
    const right = context.settings.webhookSecret;
    if (!read || !isProven(read, right)) return emptyReceipt(401);
    const { signal, end } = deadline(context.clock, READ_MS, context.closed);
    try {
      if (read.group_id !== (await login.communityId(signal))) return emptyReceipt(401);
      if (read.type === "confirmation") return await confirmation(login, signal);
      return { ...(await readEvent(login, read, signal)), reply: taken() };
    } finally {
      end();
    }
  };
}

/** A confirmation may come without a secret; its answer is useless without the community's key. */
const isProven = ({ type, secret }: Envelope, right: string): boolean =>
  sameSecret(secret ?? "", right) || (type === "confirmation" && (secret ?? "") === "");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const code = z.object({ code: z.string() });

/** Asked for each time: the string may have changed. */
async function confirmation({ api, communityId }: Login, signal: AbortSignal): Promise<Receipt> {
  const params = { group_id: await communityId(signal) };
  const request = { method: "groups.getCallbackConfirmationCode", params, result: code };
  return { events: [], reply: new Response((await api.call(request, signal)).code) };
}
