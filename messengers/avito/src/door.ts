import { isOverNested } from "gangway-messenger/call";
import { type ChatId, sameSecret } from "gangway-messenger/ids";
import type { Receipt } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import { emptyReceipt, noUpdate } from "gangway-messenger/webhooks";
import type { AvitoApi } from "./api.ts";
import type { AskChat } from "./chats.ts";
import { LINES } from "./lines.ts";
import { isOfAvito, readMessage } from "./reading.ts";
import { type Context, webhook, webhookMessage } from "./wire.ts";

const utf8 = new TextDecoder();

/** Handles requests at a channel's door. Avito's signature is not published: the end of the URL proves them. */
export function receiving(
  context: Context,
  api: Pick<AvitoApi, "ownId">,
  ask: AskChat,
): (request: Request) => Promise<Receipt> {
  const { settings, notes, clock } = context;
  const reader = { notes, clock, lines: LINES[settings.language] };
  return async (request) => {
    if (!isProven(request, settings.webhookSecret)) return emptyReceipt(401);
    if (request.method !== "POST") return emptyReceipt(405);
    const text = utf8.decode(await request.arrayBuffer());
    if (isOverNested(text)) return emptyReceipt(400, "a body that is nested too deeply");
    const body = parsed(text);
    // Avito tests a URL with this body.
    if (isEmpty(body)) return emptyReceipt(200);
    const read = webhook.safeParse(body).data?.payload;
    if (!read) return noUpdate();
    if (read.type !== "message") return emptyReceipt(200, `event ${cutText(read.type, 40)}`);
    const message = webhookMessage.safeParse(read.value).data;
    if (!message) return emptyReceipt(200, "a message that this version cannot read");
    const { chat_id, user_id: ownId, chat_type: type } = message;
    if (ownId !== (api.ownId() ?? ownId)) return emptyReceipt(200, "a message of another account");
    if (isOfAvito({ message, type })) return emptyReceipt(200);
    const chat = chat_id as ChatId;
    return { ...(await readMessage(reader, { chat, ownId, message }, () => ask(chat))), reply: new Response(null) };
  };
}

/** In constant time. */
const isProven = ({ url }: Request, secret: string): boolean =>
  sameSecret(new URL(url).pathname.split("/").at(-1) ?? "", secret);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isEmpty = (body: unknown): boolean =>
  typeof body === "object" && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
