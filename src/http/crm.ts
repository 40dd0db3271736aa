import type { Context } from "hono";
import type { Activity } from "../module/activity.ts";
import { BodyTooLarge, readBody } from "./body.ts";
import type { Env } from "./env.ts";

/** `POST /actions/activity`. An unknown client id gets the same answer as a malformed form. */
export function activityAction(activity: Activity, limit: number) {
  return async (c: Context<Env>): Promise<Response> => {
    try {
      return c.json(await activity(new URLSearchParams(await readBody(c, limit))));
    } catch (error) {
      if (!(error instanceof BodyTooLarge)) throw error;
      return c.json({ success: false }, 413, { connection: "close" });
    }
  };
}
