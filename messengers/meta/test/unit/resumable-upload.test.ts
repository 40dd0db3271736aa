import type { IncomingHttpHeaders } from "node:http";
import { systemClock } from "gangway-messenger/clock";
import { streamOf } from "gangway-messenger/kit/context";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createOutgoing } from "../../../../src/calls/outgoing.ts";
import { listening } from "../../../../test/support/listening.ts";
import { graphClient } from "../../src/graph.ts";
import { uploadResumable } from "../../src/resumable-upload.ts";

const ID = "upload:MTphdHRhY2htZW50?sig=ARZ";
const fresh = () => new AbortController().signal;

/** A host that takes uploads over a socket. */
async function host(begin: { status: number; body: object } = { status: 200, body: { id: ID } }) {
  const asked: { method?: string; url?: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const origin = await listening(async (request, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    asked.push({ method, url, headers, body: String(Buffer.concat(chunks)) });
    const isBegin = request.url?.includes("/uploads");
    answer.writeHead(isBegin ? begin.status : 200, { "content-type": "application/json" });
    answer.end(JSON.stringify(isBegin ? begin.body : { h: "4:aGFuZGxl" }));
  });
  const outgoing = createOutgoing({ allowLoopback: true });
  onTestFinished(() => outgoing.close());
  const graph = graphClient({
    call: outgoing.call,
    clock: systemClock,
    network: "Testnet",
    baseUrl: `${origin.replace(/\/$/, "")}/v23.0`,
    headers: { authorization: "Bearer the-token" },
    secrets: ["the-token"],
    table: [],
  });
  return { asked, graph };
}
const file = () => ({ body: streamOf("a film"), name: "a b.mp4", mediaType: "video/mp4", size: 6 });
const APP = { appId: "77", token: "the-token" };

describe("an upload for an app of Meta's", () => {
  it("names the file, then sends its bytes to the id as it is, with their length", async () => {
    const { asked, graph } = await host();
    expect(await uploadResumable(graph, APP, file(), fresh())).toBe("4:aGFuZGxl");
    expect(asked.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["POST", "/v23.0/77/uploads?file_name=a+b.mp4&file_length=6&file_type=video%2Fmp4", ""],
      ["POST", `/v23.0/${ID}`, "a film"],
    ]);
    expect(asked[0]?.headers.authorization).toBe("Bearer the-token");
    expect(asked[1]?.headers).toMatchObject({
      authorization: "OAuth the-token",
      file_offset: "0",
      "content-length": "6",
      "content-type": "application/octet-stream",
    });
    expect(asked[1]?.headers["transfer-encoding"]).toBeUndefined();
  });

  it("that Meta refuses to begin lets go of the file", async () => {
    const { graph } = await host({ status: 400, body: { error: { message: "(#100) No", code: 100 } } });
    const cancel = vi.fn();
    const body = new ReadableStream<Uint8Array>({ cancel });
    await expect(uploadResumable(graph, APP, { ...file(), body }, fresh())).rejects.toThrow("(#100) No");
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("goes to no address but an upload's", async () => {
    const { asked, graph } = await host({ status: 200, body: { id: "77/messages" } });
    await expect(uploadResumable(graph, APP, file(), fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
    expect(asked).toHaveLength(1);
  });
});
