import type { Context } from "hono";
import type { Env } from "../serving/env.ts";
import { BodyTooLarge, readBody } from "./body.ts";

/** `POST /actions/…`, which the CRM calls. An unknown client id gets the same answer as a malformed form. */
export function crmAction(act: (form: URLSearchParams) => Promise<{ success: boolean }>, limit: number) {
  return async (c: Context<Env>): Promise<Response> => {
    try {
      return c.json(await act(new URLSearchParams(await readBody(c, limit))));
    } catch (error) {
      if (!(error instanceof BodyTooLarge)) throw error;
      return c.json({ success: false }, 413, { connection: "close" });
    }
  };
}
