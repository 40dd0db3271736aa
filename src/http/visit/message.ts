import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type Message, MessagePage } from "../../pages/message.tsx";
import type { Env } from "../serving/request.ts";
import { safeFrameOf } from "./language.ts";

export type Say = (c: Context<Env>, status: ContentfulStatusCode, message: Message) => Promise<Response>;

export const createSay =
  (moduleName: string): Say =>
  async (c, status, message) =>
    c.html(MessagePage({ ...(await safeFrameOf(c, moduleName)), message }), status);
