import { randomUUID } from "node:crypto";
import { systemClock } from "gangway-messenger/clock";
import { SECRET } from "../emulator/emulator.ts";
import { signed } from "../src/signature.ts";

interface Signing {
  method?: "GET" | "POST";
  id?: string;
  secret?: string;
  /** ms. */
  now?: number;
}

/** A request as an app signs it. */
export function signedRequest(url: string, body: string | object, given: Signing = {}): Request {
  const { method = "POST", id = randomUUID(), secret = SECRET, now = systemClock.now() } = given;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json", ...signed([secret], id, text, now) };
  return new Request(url, { method, headers, ...(method === "POST" && { body: text }) });
}
