import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { en } from "../pages/i18n/en.ts";
import { MessagePage } from "../pages/message.tsx";
import type { Env } from "./env.ts";

export type Say = (
  c: Context<Env>,
  status: ContentfulStatusCode,
  text: { title: string; text: string },
) => Response | Promise<Response>;

export const createSay =
  (moduleName: string): Say =>
  (c, status, text) =>
    c.html(MessagePage({ t: en, moduleName, ...text }), status);
