import type { Call } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { createOutgoing } from "../../../../src/calls/outgoing.ts";
import { DIALOG_KEY } from "../../emulator/seed.ts";
import whatsapp from "../../src/index.ts";
import { fresh, refusalOf, staged } from "../unit/stage.ts";

/** A number that 360dialog hosts; the emulator has its address of the same calls. */
async function hosted(own: object = {}) {
  const stage = await staged({ via: "360dialog", token: DIALOG_KEY, appSecret: "", ...own });
  const server = { ...stage.context.server, DIALOG_360_URL: "https://network.example/360dialog" };
  Object.assign(stage.context, { server });
  const session = whatsapp.open(stage.context);
  return { ...stage, session };
}

describe("a number at 360dialog", () => {
  it("is connected by its key, sends, and takes the messages that bear our own proof", async () => {
    const { session, number, network, context, stepsOf, last } = await hosted();
    // By its key, which 360dialog proves, and not by the number that somebody has typed.
    const { id } = (await session.identify?.(fresh())) ?? expect.fail("360dialog was not asked");
    expect(id).toMatch(/^whatsapp:360dialog:[\w-]{43}$/);
    expect(id).not.toContain(number.id);
    await session.connect(fresh());
    const webhook = network.dialogKeys[0]?.webhook;
    expect(webhook?.url).toBe(context.doorUrl);
    const body = JSON.stringify({ object: "whatsapp_business_account", entry: [] });
    const post = (headers: Record<string, string>) =>
      session.receive(new Request(context.doorUrl, { method: "POST", body, headers }));
    expect((await post(webhook?.headers ?? {})).reply.status).toBe(200);
    expect((await post({ authorization: "Bearer another" })).reply.status).toBe(401);
    expect((await post({})).reply.status).toBe(401);
    const proof = whatsapp.proof?.(context.settings, body, context.server);
    expect((await post(proof ?? {})).reply.status).toBe(200);
    const [step] = stepsOf({ type: "text", text: "hello" });
    if (!step) throw new Error("a text is a step");
    await session.send(step, { chat: "15550100042" as never, key: "one" }, fresh());
    expect(last().content).toMatchObject({ text: { body: "hello" } });
  });

  it("opens customers' files through 360dialog's own address", async () => {
    const { session, core, number } = await hosted();
    const bytes = new Uint8Array(Buffer.from("a picture"));
    const medium = core.media.add({ owner: number.id, name: "a.png", mediaType: "image/png", bytes, lifeMs: 60_000 });
    const file = await session.files?.open(medium.id, fresh());
    expect(await new Response(file?.body).text()).toBe("a picture");
  });

  it("refuses a file for good whose address is none: its chat goes on", async () => {
    const { context } = await hosted();
    const outgoing = createOutgoing({ allowLoopback: false });
    const bytes = new TextEncoder().encode('{"url":"no address"}');
    const call: Call = async (request) =>
      URL.canParse(request.url) ? { type: "answer", status: 200, headers: {}, bytes } : outgoing.call(request);
    const session = whatsapp.open({ ...context, call });
    const refusal = await refusalOf(Promise.resolve(session.files?.open("5", fresh())));
    expect([refusal.verdict, refusal.message]).toEqual([
      { type: "reject", code: "general" },
      "WhatsApp gave no usable address",
    ]);
    await outgoing.close();
  });

  it("lists and deletes templates, and says that it cannot change them", async () => {
    const { session, network } = await hosted();
    const draft = { name: "hello", language: "en_US", category: "utility", body: "Hello!", buttons: [] };
    await session.templates?.create(draft, fresh());
    await network.idle();
    expect((await session.templates?.list(fresh()))?.map(({ code }) => code)).toContain("hello|en_US");
    const edit = Promise.resolve(session.templates?.edit("hello|en_US", draft, fresh()));
    expect((await refusalOf(edit)).message).toMatch(/^360dialog cannot change a template/);
    await session.templates?.delete("hello|en_US", fresh());
    expect((await session.templates?.list(fresh()))?.map(({ code }) => code)).not.toContain("hello|en_US");
  });

  it("says whether it may send, why not, and what 360dialog shows in its hub only", async () => {
    const { session, number } = await hosted();
    const told = async () => {
      const { facts = [], whatsapp: announced } = (await session.standing?.(fresh())) ?? {};
      expect(announced).toBeUndefined();
      return facts.map(({ name, value, isBad }) => [name.en, typeof value === "string" ? value : value.en, isBad]);
    };
    const elsewhere = [
      "In 360dialog's hub only",
      "Quality, limit of new customers, changes of templates, templates with a file",
      undefined,
    ];
    expect(await told()).toEqual([["May send messages", "Yes", undefined], elsewhere]);
    number.status = "FLAGGED";
    expect(await told()).toEqual([
      ["May send messages", "With limits", true],
      ["Reason", "Customers report the messages of this number.", true],
      elsewhere,
    ]);
    number.status = "BANNED";
    expect(await told()).toEqual([
      ["May send messages", "No", true],
      ["Reason", "The phone number has been restricted. Check the notifications in WhatsApp Manager.", true],
      elsewhere,
    ]);
  });

  it("with a wrong key is refused, and the key is never said", async () => {
    const { session } = await hosted({ token: "AnotherKeyThatIsLongEnough" });
    const error = await refusalOf(Promise.resolve(session.identify?.(fresh())));
    expect(error.verdict.type).toBe("reconnect");
    expect(error.message).not.toContain("AnotherKey");
  });
});
