import type { Context } from "hono";
import type { en } from "../../pages/i18n/en.ts";
import type { Env } from "../serving/request.ts";

export type Done = keyof typeof en.done;

/** What the page before says has just been done: the codes in the address that have a text. */
export function doneIn<Texts extends object>(c: Context<Env>, texts: Texts): (keyof Texts)[] {
  const codes = [...new Set(c.req.queries("done"))];
  return codes.filter((code) => Object.hasOwn(texts, code)) as (keyof Texts)[];
}
