import { createHmac } from "node:crypto";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { describe, expect, it } from "vitest";
import { write } from "../../emulator/acts.ts";
import { ACCOUNT_ID, COEXISTENCE_ID, FOREIGN_NUMBER_ID, NUMBER_ID, TOKEN } from "../../emulator/seed.ts";
import { chatOf } from "../../emulator/world.ts";
import { HOOK, opened, served, VERIFY } from "./stage.ts";

describe("subscribing", () => {
  it("asks the address for the challenge and takes no other answer", async () => {
    const { ask, module } = await opened({ subscribed: false });
    const override = { override_callback_uri: HOOK, verify_token: "wrong" };
    await ask("POST", `${ACCOUNT_ID}/subscribed_apps`);
    expect(await ask("POST", `${ACCOUNT_ID}/subscribed_apps`, override)).toMatchObject({
      status: 400,
      body: { error: { code: 2200, message: expect.stringContaining("Callback verification failed") } },
    });
    module.verify = "wrong";
    expect((await ask("POST", `${ACCOUNT_ID}/subscribed_apps`, override)).body).toEqual({ success: true });
    const { body } = await ask("GET", `${ACCOUNT_ID}/subscribed_apps`);
    expect(body.data).toMatchObject([{ whatsapp_business_api_data: { id: DEMO_APP.id }, override_callback_uri: HOOK }]);
  });

  it("gives an address of its own only to an app that is subscribed", async () => {
    const { ask } = await opened({ subscribed: false });
    const override = { override_callback_uri: HOOK, verify_token: VERIFY };
    const { status, body } = await ask("POST", `${ACCOUNT_ID}/subscribed_apps`, override);
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 100 });
    expect(body.error.message).toContain("your app must be subscribed");
  });

  it("ends with DELETE", async () => {
    const { ask, emulator, arrived } = await opened();
    await ask("DELETE", `${ACCOUNT_ID}/subscribed_apps`);
    await emulator.says("anybody?");
    expect(arrived).toEqual([]);
  });
});

describe("a customer's text", () => {
  it("arrives with a true signature over the body", async () => {
    const { emulator, arrived } = await opened();
    const { id } = await emulator.says("Привет ✓ 😀");
    const [first] = arrived;
    const hex = createHmac("sha256", DEMO_APP.secret)
      .update(first?.body ?? "")
      .digest("hex");
    expect(first?.signature).toBe(`sha256=${hex}`);
    expect(first?.payload).toMatchObject({
      object: "whatsapp_business_account",
      entry: [
        {
          id: ACCOUNT_ID,
          changes: [
            {
              field: "messages",
              value: {
                metadata: { display_phone_number: "15550100142", phone_number_id: NUMBER_ID },
                contacts: [{ profile: { name: "Robin Field" }, wa_id: "15550100042" }],
                messages: [{ from: "15550100042", id, type: "text", text: { body: "Привет ✓ 😀" } }],
              },
            },
          ],
        },
      ],
    });
  });
});

describe("a business' text", () => {
  it("is accepted within the window, and its statuses bring back what was sent along", async () => {
    const { emulator, text, statuses, idle } = await opened();
    await emulator.says("hello");
    const { status, body } = await text("yes?", { biz_opaque_callback_data: "job-7" });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        messaging_product: "whatsapp",
        contacts: [{ input: "15550100042", wa_id: "15550100042" }],
        messages: [{ id: expect.stringMatching(/^wamid\./) }],
      },
    });
    await idle();
    expect(statuses().map((each) => [each.id, each.status, each.biz_opaque_callback_data])).toEqual([
      [body.messages[0].id, "sent", "job-7"],
      [body.messages[0].id, "delivered", "job-7"],
    ]);
  });

  it("is accepted outside the window and fails later", async () => {
    const { emulator, text, statuses, idle, clock } = await opened();
    await emulator.says("hello");
    clock.jump(24 * 3_600_000);
    expect((await text()).status).toBe(200);
    await idle();
    expect(statuses()).toMatchObject([
      { status: "failed", errors: [{ code: 131047, title: "Re-engagement message" }] },
    ]);
  });

  it("is refused without a token, with a dead one, and from a number of somebody else", async () => {
    const { ask, network, text } = await opened();
    const path = `${NUMBER_ID}/messages`;
    expect((await ask("POST", path, {}, null)).body.error.code).toBe(104);
    expect(await ask("POST", path, {}, "nonsense")).toMatchObject({ status: 401, body: { error: { code: 190 } } });
    expect(await ask("GET", FOREIGN_NUMBER_ID)).toMatchObject({
      status: 400,
      body: { error: { code: 100, error_subcode: 33, type: "GraphMethodException" } },
    });
    const [token] = network.core.tokens.list();
    if (token) token.expiresAt = 1_764_000_000_000;
    expect(await text()).toMatchObject({ status: 401, body: { error: { code: 190, error_subcode: 463 } } });
  });
});

it("one webhook may bring the messages of many numbers", async () => {
  const { network, world, emulator, robin, arrived } = await opened();
  const second = world.numbers.get(COEXISTENCE_ID);
  if (!second) throw new Error("no second number");
  network.switches.set({ batchMs: 60_000 });
  const written = [emulator.says("one"), write(network, chatOf(world, second, robin), { text: "two" })];
  await network.core.courier.flush();
  await Promise.all(written);
  const named = arrived.flatMap(({ payload }) =>
    payload.entry.map(({ changes }) => changes[0]?.value.metadata?.phone_number_id),
  );
  expect([arrived.length, named]).toEqual([1, [NUMBER_ID, COEXISTENCE_ID]]);
});

it("an interactive answer may lack its body, with the reason beside it", async () => {
  const { control, values } = await opened();
  await control("POST", `numbers/${NUMBER_ID}/broken`);
  expect(values()).toMatchObject([{ messages: [{ type: "interactive" }], errors: [{ code: 131000 }] }]);
});

it("an answer that a fault drips comes byte by byte", async () => {
  const { origin, control } = await served(async () => new Response(null));
  await control("POST", "faults", { operation: "getNode", body: "drip", when: "after", status: 200 });
  const answer = await fetch(`${origin}/v23.0/${NUMBER_ID}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const chunks: number[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(chunk.byteLength);
  expect(chunks.length).toBeGreaterThan(10);
});

it("a further number has a token for it alone; two share an account", async () => {
  const { ask, control } = await opened();
  const numbers: Record<string, string>[] = [];
  for (const name of ["one", "two", "three"])
    numbers.push((await control("POST", "numbers", { name })) as Record<string, string>);
  const [one, two, three] = numbers;
  expect([two?.account, three?.account]).toEqual([one?.account, expect.not.stringContaining(one?.account ?? "")]);
  const seen = (id = "", token = "") => ask("GET", `${id}?fields=verified_name`, undefined, token);
  expect(await seen(one?.id, one?.token)).toMatchObject({ status: 200, body: { verified_name: "one" } });
  expect(await seen(two?.id, one?.token)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
});
