import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Bot, GrammyError, webhookCallback } from "grammy";
import { Bot as NodeBot, nodeFrameworkWebhook, TelegramApiError } from "node-telegram-bot-api";
import { Telegraf, TelegramError } from "telegraf";
import type { Update } from "../../../emulator/wire.ts";

export interface Refused {
  code: number;
  description: string;
  parameters: object;
}
/** A client as a bot's author sets it up: only token, root and update kinds. */
export interface Client {
  name: string;
  say(chat: number, text: string, more?: object): Promise<unknown>;
  /** Resolves with a function that stops it. */
  poll(kinds: readonly string[], hear: (update: Update) => void): Promise<() => unknown>;
  /** A webhook server that answers each message with `answer`. */
  hook(path: string, secret: string, hear: (update: Update) => void, answer?: string): RequestListener;
  file(id: string): Promise<Buffer>;
  me(): Promise<{ username?: string }>;
  /** Undefined unless it is a refusal of Telegram's. */
  refused(error: unknown): Refused | undefined;
}
export interface Where {
  token: string;
  apiRoot: string;
  isTest?: boolean;
}

const fetched = async (url: string | URL): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

function grammy({ token, apiRoot, isTest }: Where): Client {
  const environment = isTest ? "test" : "prod";
  const bot = new Bot(token, {
    client: { apiRoot, environment, canUseWebhookReply: (method) => method === "sendMessage" },
  });
  return {
    name: "grammY",
    say: (chat, text, more) => bot.api.sendMessage(chat, text, more),
    async poll(kinds, hear) {
      bot.use((context) => hear(context.update as Update));
      await new Promise<void>((resolve, reject) => {
        bot.start({ allowed_updates: kinds as [], onStart: () => resolve() }).catch(reject);
      });
      return () => bot.stop();
    },
    hook(path, secretToken, hear, answer) {
      bot.use(async (context) => {
        hear(context.update as Update);
        if (answer) await context.reply(answer);
      });
      return at(path, webhookCallback(bot, "http", { secretToken }));
    },
    async file(id) {
      const { file_path } = await bot.api.getFile(id);
      return fetched(`${apiRoot}/file/bot${token}/${isTest ? "test/" : ""}${file_path}`);
    },
    me: () => bot.api.getMe(),
    refused(error) {
      if (!(error instanceof GrammyError)) return undefined;
      return { code: error.error_code, description: error.description, parameters: error.parameters };
    },
  };
}

function telegraf({ token, apiRoot, isTest = false }: Where): Client {
  const bot = new Telegraf(token, { telegram: { apiRoot, testEnv: isTest } });
  return {
    name: "Telegraf",
    say: (chat, text, more) => bot.telegram.sendMessage(chat, text, more),
    async poll(kinds, hear) {
      bot.use((context) => hear(context.update as Update));
      const over = bot.launch({ allowedUpdates: kinds as [] });
      over.catch(() => undefined);
      return async () => {
        bot.stop();
        await over;
      };
    },
    hook(path, secretToken, hear, answer) {
      bot.use(async (context) => {
        hear(context.update as Update);
        if (answer) await context.reply(answer);
      });
      return bot.webhookCallback(path, { secretToken });
    },
    file: async (id) => fetched(await bot.telegram.getFileLink(id)),
    me: () => bot.telegram.getMe(),
    refused(error) {
      if (!(error instanceof TelegramError)) return undefined;
      return { code: error.code, description: error.description, parameters: error.parameters ?? {} };
    },
  };
}

function nodeTelegramBotApi({ token, apiRoot }: Where): Client {
  const bot = new NodeBot(token, { apiRoot });
  return {
    name: "node-telegram-bot-api",
    say: (chat_id, text, more) => bot.api.sendMessage({ chat_id, text, ...more }),
    async poll(kinds, hear) {
      bot.use((context) => hear(context.update as Update));
      const over = bot.startPolling(undefined, { allowedUpdates: [...kinds] });
      return async () => {
        bot.stop();
        await over;
      };
    },
    hook(path, secretToken, hear, answer) {
      bot.use(async (context) => {
        hear(context.update as Update);
        if (answer) await context.reply(answer);
      });
      return at(path, nodeFrameworkWebhook(bot, { secretToken }));
    },
    async file(file_id) {
      const { file_path } = await bot.api.getFile({ file_id });
      return fetched(`${apiRoot}/file/bot${token}/${file_path}`);
    },
    me: () => bot.api.getMe(),
    refused(error) {
      if (!(error instanceof TelegramApiError)) return undefined;
      return { code: error.errorCode, description: error.description, parameters: error.parameters ?? {} };
    },
  };
}

type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown;
const at =
  (path: string, listener: NodeListener): RequestListener =>
  (request, response) => {
    if (request.url === path) listener(request, response);
    else response.writeHead(404).end();
  };

/** node-telegram-bot-api does not support the test environment. */
export const CLIENTS: readonly { name: string; make: (where: Where) => Client; knowsTest: boolean }[] = [
  { name: "grammY", make: grammy, knowsTest: true },
  { name: "Telegraf", make: telegraf, knowsTest: true },
  { name: "node-telegram-bot-api", make: nodeTelegramBotApi, knowsTest: false },
];
