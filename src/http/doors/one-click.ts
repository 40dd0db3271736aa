import { type Context, Hono } from "hono";
import type { OneClick } from "../../module/connecting/one-click.ts";
import { connectFaultText } from "../../pages/fault-text.ts";
import type { Fault } from "../../pages/props.ts";
import type { AddressOf, Env } from "../serving/env.ts";
import { stringsFor } from "../visit/language.ts";
import { BodyTooLarge, readBody } from "./body.ts";

export interface OneClickParts {
  oneClick: OneClick;
  publicUrl: string;
  formBytes: number;
  addressOf: AddressOf;
}

type C = Context<Env>;

/** The addresses of one-click connection: the marketplace reads the first, the CRM posts to the second. */
export function oneClickRoutes({ oneClick, publicUrl, formBytes, addressOf }: OneClickParts): Hono<Env> {
  const site = new Hono<Env>();
  const refuse = (c: C, status: 200 | 400 | 401 | 413, fault: Fault) =>
    c.json({ success: false, errorMsg: connectFaultText(stringsFor(c), fault) }, status);
  site.get("/", (c) =>
    oneClick.scopes
      ? c.json({ success: true, scopes: oneClick.scopes, registerUrl: `${publicUrl}/connect` })
      : refuse(c, 200, { code: "one-click-off" }),
  );
  site.post("/", async (c) => {
    const result = await oneClick.register(new URLSearchParams(await readBody(c, formBytes)), addressOf(c));
    if (result.ok) return c.json({ success: true, accountUrl: result.accountUrl });
    return refuse(c, result.fault.code === "register-token" ? 401 : 400, result.fault);
  });
  site.onError((error, c) => {
    if (!(error instanceof BodyTooLarge)) throw error;
    c.header("Connection", "close");
    return refuse(c, 413, { code: "register-form" });
  });
  return site;
}
