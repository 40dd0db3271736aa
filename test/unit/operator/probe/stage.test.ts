import type { Answer } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import type { Received } from "../../../../src/operator/probe/listener.ts";
import { isEvidence, newIn, type Stage } from "../../../../src/operator/probe/stage.ts";

const answer = (status: number, text: string): Answer => ({
  type: "answer",
  status,
  headers: {},
  bytes: new TextEncoder().encode(text),
});

describe("evidence", () => {
  const going = new AbortController().signal;
  const of = (status: number, text: string, signal = going) => isEvidence(answer(status, text), signal);

  it("is what was taken, or refused in words of the other side's own", () => {
    expect([of(200, "{}"), of(201, ""), of(400, '{"errors":["No"]}'), of(422, '{"errorMsg":"No"}')]).toEqual(
      Array(4).fill(true),
    );
  });

  it("is no failure, no limit, no proxy's answer, no lost one, and nothing once the probe is interrupted", () => {
    const none = [of(502, '{"errors":["No"]}'), of(429, '{"errors":["No"]}'), of(403, '{"errorMsg":"No"}')];
    const proxy = [of(200, "<html>Sign in</html>"), of(400, "<html>400</html>"), of(400, '{"status":"bad"}')];
    const others = [isEvidence(undefined, going), of(200, "{}", AbortSignal.abort())];
    expect([...none, ...proxy, ...others]).toEqual(Array(8).fill(false));
  });
});

describe("a message in a chat", () => {
  it("is new unless it is a late repeat of one that came before", () => {
    const message = (id: string) =>
      ({ body: { type: "message_sent" }, data: { id, external_chat_id: "gangway-probe-1-A" } }) as unknown as Received;
    const received = [message("1")];
    const isNew = newIn(
      { listener: { received }, channel: { externalId: "gangway-probe-1" } } as unknown as Stage,
      "A",
    );
    expect([message("1"), message("2"), message("2")].map(isNew)).toEqual([false, true, true]);
  });
});
