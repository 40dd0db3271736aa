import { createHmac } from "node:crypto";
import { readText } from "gangway-messenger/kit/emulator/capped";
import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";
import { type Bench, parse } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { post } from "./callbacks/post.ts";
import { newToken } from "./modules.ts";

const config = z.object({ success: z.literal(true), scopes: z.array(z.string()), registerUrl: z.url() });
const registered = z.object({ success: z.literal(true), accountUrl: z.url() });
const refusal = z.object({ errorMsg: z.string() });

export type Connected = { type: "connected"; accountUrl: string } | { type: "refused"; why: string };

/** One-click connection: reads the module's config, creates a key with the requested rights and registers it. */
export async function connectByClick(
  gateway: Gateway,
  { calls, clock }: Bench,
  configUrl: string,
  secret: string,
): Promise<Connected> {
  const note = (operation: string, path: string, request: unknown, answer: unknown) =>
    calls.add({
      at: clock.now(),
      side: "callback",
      operation,
      method: request === undefined ? "GET" : "POST",
      path,
      query: {},
      status: answer === undefined ? 0 : 200,
      ms: 0,
      faults: [],
      request,
      answer,
    });
  const configured = await ask(configUrl);
  note("oneClickConfig", configUrl, undefined, configured);
  const requested = config.safeParse(configured);
  if (!requested.success) return refused("The module's configuration is wrong", configured, requested.error);
  const apiKey = newToken();
  gateway.world.keys.set(apiKey, { scopes: requested.data.scopes, credentials: [] });
  const token = createHmac("sha256", secret).update(apiKey).digest("hex");
  const register = { token, apiKey, systemUrl: gateway.origin() };
  const answer = parse((await post(requested.data.registerUrl, { register: JSON.stringify(register) })).answer);
  note("oneClickRegister", requested.data.registerUrl, { register }, answer);
  const done = registered.safeParse(answer);
  if (done.success) return { type: "connected", accountUrl: done.data.accountUrl };
  gateway.world.keys.delete(apiKey);
  return refused("The module did not register", answer, done.error);
}

function refused(what: string, answer: unknown, error: z.ZodError): Connected {
  const parsed = refusal.safeParse(answer);
  return { type: "refused", why: `${what}: ${parsed.success ? parsed.data.errorMsg : shapeFaults(error)}` };
}

const TIMEOUT_MS = 10_000;

async function ask(url: string): Promise<unknown> {
  try {
    return parse(await readText(await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })));
  } catch {
    return undefined;
  }
}
