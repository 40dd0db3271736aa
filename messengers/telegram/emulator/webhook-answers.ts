import { carryOut, checkServed } from "./calling.ts";
import type { Calls } from "./calls.ts";
import type { Floods } from "./floods.ts";
import { judge, methodNamed, type RawCall } from "./parameters.ts";
import { BotRefusal } from "./refusal.ts";
import { readValues } from "./request.ts";
import type { Bot, World } from "./world.ts";

export interface Answer {
  contentType: string;
  body: Buffer;
}
interface Parts {
  world: World;
  floods: Floods;
  calls: Calls;
  ended: AbortSignal;
}

/** Methods that a webhook's answer cannot call: telegram-bot-api's WebhookActor.cpp. */
const isAnswerable = (method: string): boolean =>
  !["setwebhook", "deletewebhook", "close", "logout"].includes(method) && !method.startsWith("get");

/**
 * Carries out a call in a webhook's answer: "you can perform a request to the Bot API while sending an answer to the
 * webhook". Only the log shows its outcome: https://core.telegram.org/bots/api#making-requests-when-getting-updates
 */
export async function carryOutAnswer(parts: Parts, bot: Bot, answer: Answer): Promise<void> {
  const raw = valuesOf(answer);
  const named = raw?.values.get("method");
  if (!raw || typeof named !== "string" || !isAnswerable(named.toLowerCase())) return;
  const method = methodNamed(named);
  const at = parts.world.clock.now();
  if (!method) {
    parts.calls.add({
      method: "unknown",
      bot: bot.id,
      status: 404,
      faults: ["the webhook's answer: no such method"],
      at,
    });
    return;
  }
  const { args, faults } = judge(method, raw);
  const chat = args.chat_id === undefined ? undefined : String(args.chat_id);
  let status = 200;
  try {
    checkServed(method);
    await carryOut({ ...parts, bot, method, args, raw, signal: parts.ended });
  } catch (error) {
    status = error instanceof BotRefusal ? error.code : 500;
  }
  parts.calls.add({ method, bot: bot.id, ...(chat !== undefined && { chat }), status, faults, at });
}

/** Undefined without parameters. */
function valuesOf({ contentType, body }: Answer): RawCall | undefined {
  if (!/^(?:application\/json|application\/x-www-form-urlencoded|multipart\/form-data)/i.test(contentType))
    return undefined;
  try {
    return readValues(contentType, body);
  } catch {
    return undefined;
  }
}
