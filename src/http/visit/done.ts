import type { Context } from "hono";
import { en } from "../../pages/i18n/en.ts";
import type { Env } from "../serving/request.ts";

export type Done = keyof typeof en.done;

/** What the page before says has just been done. */
export function doneIn(c: Context<Env>): Done | undefined {
  const done = c.req.query("done");
  return done !== undefined && Object.hasOwn(en.done, done) ? (done as Done) : undefined;
}
