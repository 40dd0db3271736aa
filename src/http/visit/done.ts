import type { Context } from "hono";
import type { en } from "../../pages/i18n/en.ts";
import type { Env } from "../serving/request.ts";

export type Done = keyof typeof en.done;

/** What the previous page reports as done: the query's codes that have a text. */
export function doneIn<Texts extends object>(c: Context<Env>, texts: Texts): (keyof Texts)[] {
  const codes = [...new Set(c.req.queries("done"))];
  return codes.filter((code) => Object.hasOwn(texts, code)) as (keyof Texts)[];
}
