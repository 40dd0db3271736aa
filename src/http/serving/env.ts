import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { accountPage } from "../../domain/account/account.ts";
import type { Brand } from "../../domain/brand.ts";
import { type ClientAddress, clientAddresses, missingProxies, type Proxies } from "../../domain/call/call.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import type { Visit } from "../../module/account/visits.ts";

/** `incoming` is absent when the site is called without a socket, as in tests. */
export type Env = {
  Bindings: Partial<HttpBindings>;
  /** `formToken`: the visit's, masked for a page. `requested`: what a page asks about. */
  Variables: { visit: Visit; requested?: Visit; brand?: Brand; form: URLSearchParams; formToken: string };
};

/** Of the account in the request's path; outside of one, the address that leads there. */
export const pageIn = (c: Context<Env>): string => {
  const account = c.req.param("account");
  return account === undefined ? "/account" : accountPage(account as AccountId);
};

/** Warns when the proxies in front of the server are not set. */
export function clientAddress({ publicUrl, trustedProxies }: Server, log: Log): ClientAddress {
  const missing = missingProxies(publicUrl, trustedProxies);
  if (missing) log.warn("proxies.not-set", { setting: "TRUSTED_PROXIES", ...missing });
  return clientAddresses(trustedProxies);
}
interface Server {
  publicUrl: string;
  trustedProxies?: Proxies;
}

/** The client address, resolved through the trusted proxies. */
export type AddressOf = (c: Context<Env>) => string;

export const addressOf =
  (clientAddress: ClientAddress): AddressOf =>
  (c) =>
    clientAddress(c.env?.incoming?.socket?.remoteAddress, c.req.header("x-forwarded-for"));
