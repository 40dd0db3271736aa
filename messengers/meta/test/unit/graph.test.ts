import { systemClock } from "gangway-messenger/clock";
import type { DeliveryError } from "gangway-messenger/errors";
import { callFrom } from "gangway-messenger/kit/call";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type GraphOptions, graphClient } from "../../src/graph.ts";
import { openMedia } from "../../src/media.ts";

const TOKEN = "EAAtoken-of-the-harbour-shop-0123456789";
const signal = new AbortController().signal;

/** A host that answers in one way, and a client for it. `healthy`: the probe succeeds. */
function against(
  status: number,
  body: unknown,
  { headers = {}, healthy = true }: { headers?: Record<string, string>; healthy?: boolean } = {},
) {
  const calls: { method: string; url: string; authorization?: string }[] = [];
  const site = new Hono();
  site.all("*", (c) => {
    const { method, url } = c.req;
    calls.push({ method, url, authorization: c.req.header("authorization") });
    if (healthy && c.req.path === "/v23.0/me") return c.json({ id: "me" });
    c.status(status as 200);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    return typeof body === "string" ? c.html(body) : c.json(body as object);
  });
  const options: GraphOptions = {
    call: callFrom(site),
    clock: systemClock,
    network: "Testnet",
    baseUrl: "https://graph.example/v23.0",
    headers: { authorization: `Bearer ${TOKEN}` },
    secrets: [TOKEN],
    table: [[100, 7, "customer_not_exists", "Testnet does not know this customer"]],
    probe: { path: "me" },
  };
  const graph = graphClient(options);
  const send = (more: object = {}) =>
    graph
      .call(
        {
          method: "POST",
          path: "1/messages",
          body: { a: 1 },
          result: z.object({ id: z.string() }),
          what: "a message",
          ...more,
        },
        signal,
      )
      .catch((error: DeliveryError) => error);
  return { send, calls, options };
}
const refusal = (code: number, more: object = {}) => ({
  error: { message: "(#1) Refused", type: "OAuthException", code, fbtrace_id: "A1", ...more },
});

describe("a call to the Graph API", () => {
  it("is not done by a proxy's 200, whatever it asks of the answer", async () => {
    const { send } = against(200, "<html>Sign in to the network</html>");
    const answered = await send({ result: z.unknown(), repeatable: true });
    expect(answered).toMatchObject({
      verdict: { type: "retry" },
      message: "Testnet sent an unexpected answer (a message)",
    });
  });

  it("carries the token in a header, never in the address", async () => {
    const { send, calls } = against(200, { id: "m1" });
    expect(await send({ query: { fields: "id", none: undefined } })).toEqual({ id: "m1" });
    expect(calls).toEqual([
      { method: "POST", url: "https://graph.example/v23.0/1/messages?fields=id", authorization: `Bearer ${TOKEN}` },
    ]);
  });

  it.each([
    [400, refusal(100), { type: "reject", code: "general", externalCode: "100" }],
    [400, refusal(100, { error_subcode: 7 }), { type: "reject", code: "customer_not_exists", externalCode: "100/7" }],
    [403, refusal(368), { type: "reject", code: "spam_suspicion", externalCode: "368" }],
    [400, refusal(4), { type: "retry", afterMs: 60_000 }],
    [400, refusal(80_007), { type: "retry", afterMs: 60_000 }],
    [500, refusal(1), { type: "retry" }],
    [503, refusal(2), { type: "retry" }],
    [500, refusal(4_711), { type: "retry" }],
    [400, refusal(4_711, { is_transient: true }), { type: "retry" }],
    [400, refusal(4_711), { type: "reject", code: "general", externalCode: "4711" }],
    [400, refusal(10, { error_subcode: 5 }), { type: "reject", code: "general", externalCode: "10/5" }],
    // Not Meta's own word: a proxy's page, or half a body.
    [404, "<html>not here</html>", { type: "retry" }],
    [502, "<html>bad gateway</html>", { type: "unsure" }],
    [400, { error: "no" }, { type: "retry" }],
    [200, "<html>welcome</html>", { type: "unsure" }],
    [200, { success: true }, { type: "unsure" }],
  ])("that is answered with %i %j is judged by Meta's own code", async (status, body, verdict) => {
    expect(await against(status, body).send()).toMatchObject({ verdict });
  });

  it.each([190, 102, 3, 10, 200, 299])(
    "that refuses the token (%i) ends the login only if a harmless call fails, too",
    async (code) => {
      const [alone, twice] = [against(401, refusal(code)), against(401, refusal(code), { healthy: false })];
      expect(await alone.send()).toMatchObject({ verdict: { type: "retry" } });
      expect(await twice.send()).toMatchObject({ verdict: { type: "reconnect" } });
      expect(twice.calls.map(({ method }) => method)).toEqual(["POST", "GET"]);
    },
  );

  it("says in words what a code means, and whether the token has expired", async () => {
    const expired = refusal(190, { error_subcode: 463 });
    const error = (await against(401, expired, { healthy: false }).send()) as DeliveryError;
    expect(error.message).toBe("the token has expired. Testnet: (#1) Refused (190/463, a check of the token)");
  });

  it("waits as long as Meta asks for", async () => {
    const usage = { "x-business-use-case-usage": '{"12":[{"type":"messages","estimated_time_to_regain_access":3}]}' };
    expect(await against(400, refusal(4), { headers: usage }).send()).toMatchObject({ verdict: { afterMs: 180_000 } });
    const after = { "retry-after": "7" };
    expect(await against(429, refusal(4), { headers: after }).send()).toMatchObject({ verdict: { afterMs: 7_000 } });
    const odd = { "x-business-use-case-usage": "{" };
    expect(await against(400, refusal(4), { headers: odd }).send()).toMatchObject({ verdict: { afterMs: 60_000 } });
  });

  it("never quotes a token in its error, ours or another", async () => {
    const message = `Malformed access token ${TOKEN} or EAAanotherTokenOfSomebodyElse0123 at ?access_token=abc`;
    const error = (await against(400, refusal(100, { message })).send()) as DeliveryError;
    expect(error.message).toBe("Testnet: Malformed access token … or … at ?access_token=… (100, a message)");
  });

  it("prefers the details in Meta's words", async () => {
    const error_data = { messaging_product: "whatsapp", details: "The parameter text.body is required" };
    const error = (await against(400, refusal(100, { error_data })).send()) as DeliveryError;
    expect(error.message).toBe("Testnet: The parameter text.body is required (100, a message)");
  });
});

describe("a customer's file", () => {
  const open = (status: number, body: unknown, known = {}) =>
    openMedia({ ...against(status, body).options, maxBytes: 1_000 }, "https://cdn.example/f?sig=secret", known, signal);

  it("is a page of a proxy only if it was meant to be one", async () => {
    await expect(open(200, "<html>log in</html>")).rejects.toMatchObject({ verdict: { type: "retry" } });
    const page = await open(200, "<html>log in</html>", { name: "page.html" });
    expect(await new Response(page.body).text()).toBe("<html>log in</html>");
  });

  it("that is gone, refused or of another size fails in words without its address", async () => {
    await expect(open(404, refusal(100))).rejects.toMatchObject({ verdict: { type: "reject" } });
    // A proxy may say so: keep trying.
    await expect(open(404, "<html>")).rejects.toMatchObject({ verdict: { type: "retry" }, foreignStatus: 404 });
    await expect(open(401, refusal(190))).rejects.toMatchObject({ verdict: { type: "retry" } });
    const short = await open(200, { a: 1 }, { size: 900 });
    await expect(new Response(short.body).text()).rejects.toThrow("does not have the announced 900 bytes");
    const error = await open(500, "<html>").catch((thrown: Error) => thrown.message);
    expect(error).not.toContain("sig=");
  });
});
