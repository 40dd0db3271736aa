import type { Answer, Call } from "gangway-messenger/call";
import { expect, it } from "vitest";
import { recordingGateway } from "../../../../test/support/gateway.ts";
import { relayLives } from "../../../../test/support/lives.ts";
import { HARBOUR_BOT_TOKEN } from "../../emulator/world.ts";
import telegram from "../../src/index.ts";

/** A proxy in front of Telegram: forwards every call, but answers with its own page until it is mended. */
async function badProxy(page: number) {
  const state = { mended: false, sent: 0, probes: 0 };
  const gateway = recordingGateway();
  const answered = (status: number, body: unknown): Answer & { type: "answer" } => ({
    type: "answer",
    status,
    headers: {},
    bytes: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  });
  const bot: Call = async ({ url }) => {
    const send = url.endsWith("/sendMessage");
    if (send) state.sent += 1;
    else state.probes += 1;
    if (!state.mended) return answered(page, "<html>");
    const id = Number(HARBOUR_BOT_TOKEN.split(":")[0]);
    const result = send ? { message_id: state.sent, chat: { id: 5 } } : { id, first_name: "Harbour" };
    return answered(200, { ok: true, result });
  };
  const lives = await relayLives({
    adapter: telegram as never,
    settings: { token: HARBOUR_BOT_TOKEN },
    call: (clock) => {
      const toGateway = gateway.call(clock);
      return (request) => (request.url.startsWith("https://api.telegram.org/") ? bot(request) : toGateway(request));
    },
  });
  await lives.begin();
  await lives.agentSays("1", "hello", "5");
  lives.wake();
  return { ...lives, state, acks: () => gateway.taken.filter(({ path }) => path.endsWith("/ack")) };
}

it.each([200, 500, 502, 504])(
  "a customer gets one copy at most behind a proxy that loses all answers: %i",
  async (page) => {
    const lasting = await badProxy(page);
    await lasting.clock.forward(180_000);
    expect(lasting.state.sent).toBe(1);
    expect(lasting.state.probes).toBeGreaterThan(3);
    expect(lasting.acks()).toMatchObject([{ body: { error: { message: expect.stringContaining("not known") } } }]);

    const passing = await badProxy(page);
    await passing.clock.forward(20_000);
    passing.state.mended = true;
    await passing.clock.forward(60_000);
    expect([passing.state.sent, passing.acks().length]).toEqual([2, 1]);
    expect(passing.acks()[0]).not.toMatchObject({ body: { error: expect.anything() } });
  },
);
