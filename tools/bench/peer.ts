import { createMemoryState } from "@chat-adapter/state-memory";
import { createTelegramAdapter } from "@chat-adapter/telegram";
import { serve } from "@hono/node-server";
import { Chat, ConsoleLogger } from "chat";

// The in-language peer with the least it can do: check the secret, read the update, call an empty handler.

const { BOT_TOKEN, HOOK_SECRET, FAKES, PORT } = process.env;

const telegram = createTelegramAdapter({
  botToken: BOT_TOKEN,
  secretToken: HOOK_SECRET,
  apiUrl: `${FAKES}/telegram`,
  mode: "webhook",
  logger: new ConsoleLogger("silent"),
});
// By itself it calls Telegram for each message.
telegram.startTyping = async () => {};
const bot = new Chat({
  userName: "bench_bot",
  adapters: { telegram },
  state: createMemoryState(),
  concurrency: "concurrent",
  logger: "silent",
});
bot.onDirectMessage(() => {});
await bot.initialize();

const receive = (request: Request) =>
  new URL(request.url).pathname === "/health/ready" ? new Response("ready") : bot.webhooks.telegram(request);
serve({ fetch: receive, hostname: "127.0.0.1", port: Number(PORT) });
