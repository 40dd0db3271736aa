import { type Answer, withBufferedBody } from "gangway-messenger/call";
import { expect, it } from "vitest";

it("of a refusal's body only the start is read, however long it is", async () => {
  const stream = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(16 * 1024)) });
  const answer: Answer = { type: "answer", status: 404, headers: {}, bytes: new Uint8Array(), stream };
  const { bytes, stream: left } = await withBufferedBody(answer);
  expect(bytes.length).toBe(64 * 1024);
  expect(left).toBeUndefined();
});
