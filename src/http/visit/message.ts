import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type Message, MessagePage } from "../../pages/message.tsx";
import type { Env } from "../serving/request.ts";
import { frameOf } from "./language.ts";

export type Say = (c: Context<Env>, status: ContentfulStatusCode, message: Message) => Response | Promise<Response>;

export const createSay =
  (moduleName: string): Say =>
  (c, status, message) =>
    c.html(MessagePage({ ...frameOf(c, moduleName), message }), status);
