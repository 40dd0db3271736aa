import { BotRefusal, badRequest } from "../refusal.ts";
import { allow, pending, type QueuedUpdate } from "../update-queue.ts";
import type { Update } from "../wire.ts";
import type { BotRequest, Method } from "./request.ts";

const conflict = (text: string): BotRefusal => new BotRefusal(409, `Conflict: ${text}`);

const setWebhook: Method = (request) => {
  const { bot, args } = request;
  const { queue } = bot;
  const url = (args.url ?? "").trim();
  if (url === "") return deleteWebhook(request);
  if (!/^https?:\/\/[^/]+/i.test(url) || !URL.canParse(url))
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  const secret = args.secret_token;
  if (secret !== undefined && !/^[A-Za-z0-9_-]{0,256}$/.test(secret))
    throw badRequest(secret.length > 256 ? "secret token is too long" : "secret token contains unallowed characters");
  const maxConnections = Math.min(100, Math.max(1, args.max_connections ?? 40));
  allow(queue, args.allowed_updates);
  if (args.drop_pending_updates) queue.entries = [];
  request.describe(queue.webhook?.url === url ? "Webhook is already set" : "Webhook was set");
  queue.webhook = { url, maxConnections, ...(secret && { secret }) };
  queue.error = undefined;
  queue.endPoll?.("terminated by setWebhook request");
  for (const entry of queue.entries) entry.dueAt = 0;
  for (const wake of [...queue.wakers]) wake();
  return true;
};

const deleteWebhook: Method = ({ bot, args, describe }) => {
  describe(bot.queue.webhook ? "Webhook was deleted" : "Webhook is already deleted");
  bot.queue.webhook = undefined;
  bot.queue.error = undefined;
  if (args.drop_pending_updates) bot.queue.entries = [];
  return true;
};

const getWebhookInfo: Method = ({ world, bot }) => {
  const { webhook, error, allowed } = bot.queue;
  return {
    url: webhook?.url ?? "",
    has_custom_certificate: false,
    pending_update_count: pending(world, bot).length,
    ...(webhook && error && { last_error_date: Math.floor(error.at / 1000), last_error_message: error.text }),
    ...(webhook && { max_connections: webhook.maxConnections, ip_address: "127.0.0.1" }),
    allowed_updates: [...allowed],
  };
};

const getUpdates: Method = async (request) => {
  const { world, bot, args } = request;
  const { queue } = bot;
  if (queue.webhook)
    throw conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  allow(queue, args.allowed_updates);
  queue.endPoll?.("terminated by other getUpdates request; make sure that only one bot instance is running");
  const limit = Math.min(100, Math.max(1, args.limit ?? 100));
  forget(pending(world, bot), queue, args.offset ?? 0);
  const fetched = (): Update[] =>
    pending(world, bot)
      .slice(0, limit)
      .map(({ update }) => update);
  if (queue.entries.length === 0 && (args.timeout ?? 0) > 0) await arrival(request, Math.min(50, args.timeout ?? 0));
  return fetched();
};

/** "All previous updates will be forgotten"; a negative offset counts from the end. */
function forget(entries: readonly QueuedUpdate[], queue: BotRequest["bot"]["queue"], offset: number): void {
  if (offset < 0) queue.entries = entries.slice(offset);
  else if (offset > 0) queue.entries = entries.filter(({ update }) => update.update_id >= offset);
}

function arrival({ world, bot, signal }: BotRequest, seconds: number): Promise<void> {
  const { queue } = bot;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      cancel();
      queue.wakers.delete(wake);
      signal.removeEventListener("abort", wake);
      if (queue.endPoll === endPoll) queue.endPoll = undefined;
      settle();
    };
    const wake = () => end(resolve);
    const endPoll = (reason: string) => end(() => reject(conflict(reason)));
    const cancel = world.clock.after(seconds * 1000, wake);
    queue.endPoll = endPoll;
    queue.wakers.add(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

export const updateMethods: Record<string, Method> = { setWebhook, deleteWebhook, getWebhookInfo, getUpdates };
