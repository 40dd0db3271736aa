import { describe, expect, it } from "vitest";
import { fresh, talking } from "../stage.ts";

describe("what a refusal of Avito means", () => {
  it.each([
    [400, { type: "reject", code: "general", externalCode: "400" }],
    [404, { type: "reject", code: "customer_not_exists", externalCode: "404" }],
    [422, { type: "reject", code: "general", externalCode: "422" }],
    [409, { type: "reject", code: "general" }],
    [500, { type: "unsure" }],
    [502, { type: "unsure" }],
    [504, { type: "unsure" }],
    [503, { type: "retry" }],
    [429, { type: "retry", afterMs: 10_000 }],
    // The token works for another call: one refusal proves nothing.
    [401, { type: "retry" }],
    [402, { type: "retry" }],
    [403, { type: "reject", code: "access_restricted", externalCode: "403" }],
  ])("%i is %o", async (status, verdict) => {
    const { emulator, send } = await talking();
    emulator.faults.plan({ operation: "postSendMessage", status, times: 3 });
    await expect(send()).rejects.toMatchObject({ verdict });
  });

  it.each([500, 502, 504])("%i is a retry where a call may be repeated", async (status) => {
    const { emulator, session } = await talking();
    emulator.faults.plan({ operation: "chatRead", status });
    const read = session.readMarks?.read(
      { chat: emulator.firstChat().id as never, messengerMessageId: "m" as never },
      fresh(),
    );
    await expect(read).rejects.toMatchObject({ verdict: { type: "retry" } });
  });

  it("429 is obeyed to the second", async () => {
    const { emulator, send } = await talking();
    emulator.faults.plan({ operation: "postSendMessage", status: 429, retryAfter: 31 });
    await expect(send()).rejects.toMatchObject({ verdict: { type: "retry", afterMs: 31_000 } });
  });

  it("402 stops the channel, in words that name the plan, once another call says so, too", async () => {
    const { emulator, send, session } = await talking();
    const [account] = emulator.world.accounts;
    Object.assign(account ?? {}, { hasPlan: false });
    const dead = {
      verdict: { type: "reconnect" },
      message: expect.stringContaining("does not include messages by API"),
    };
    await expect(send()).rejects.toMatchObject(dead);
    await expect(session.connect(fresh())).rejects.toMatchObject(dead);
    await expect(session.inspect?.(fresh())).rejects.toMatchObject(dead);
  });

  it("a chat whose customer has blocked the account is refused for this message alone", async () => {
    const { send, chat, session } = await talking();
    chat.isBlocked = true;
    const error = await send().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      verdict: { type: "reject", code: "access_restricted" },
      message: "Avito does not let this account write here. Avito: Forbidden",
    });
    expect(await session.inspect?.(fresh())).toBeUndefined();
  });

  it.each([
    [{ status: 200, body: "html", when: "before" }, { type: "unsure" }],
    [{ status: 200, body: "html", when: "after" }, { type: "unsure" }],
    [{ status: 200, body: "half", when: "after" }, { type: "unsure" }],
    [{ status: 200, body: "json", when: "before" }, { type: "unsure" }],
    [{ status: 401, body: "html" }, { type: "retry" }],
    [{ status: 402, body: "json" }, { type: "retry" }],
    [{ status: 404, body: "html" }, { type: "retry" }],
    [{ status: 502, body: "html", when: "after" }, { type: "unsure" }],
    [{ status: 503, body: "html" }, { type: "retry" }],
    [{ body: "redirect" }, { type: "retry" }],
  ] as const)("an answer that is not Avito's own refuses nothing: %o", async (fault, verdict) => {
    const { emulator, send } = await talking();
    emulator.faults.plan({ operation: "postSendMessage", ...fault });
    await expect(send()).rejects.toMatchObject({ verdict });
  });

  it("is read in the forms of the gateway before the API, and never quotes a token or the secret", async () => {
    const { context, again, step, target } = await talking();
    const { avitoClientSecret } = context.settings as { avitoClientSecret: string };
    const refuse = (status: number, body: object) => {
      const call: typeof context.call = async (request) => {
        if (!request.url.endsWith("/messages")) return context.call(request);
        const words = JSON.stringify(body).replace("TOKEN", String(request.headers?.authorization).slice(7));
        return { type: "answer", status, headers: {}, bytes: Buffer.from(words) };
      };
      return again({ call })
        .send(step(), target("k"), fresh())
        .catch((thrown: unknown) => thrown);
    };
    const said = `TOKEN and ${avitoClientSecret}\u0000 are bad`;
    for (const body of [
      { error: { code: 400, message: said } },
      { result: { message: said } },
      { code: 400, message: said },
    ])
      expect(await refuse(400, body)).toMatchObject({
        verdict: { type: "reject", code: "general" },
        message: "Avito: … and …  are bad (a message)",
      });
    // A proxy's own words.
    for (const status of [400, 404, 422])
      for (const body of [{ message: "Bad request" }, { error: "internal" }, { error: "x", error_description: "y" }])
        expect(await refuse(status, body)).toMatchObject({ verdict: { type: "retry" }, foreignStatus: status });
    expect(await refuse(500, { error: "internal" })).toMatchObject({ verdict: { type: "unsure" } });
  });
});
