import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../../sandbox/src/certificate.ts";
import { createOutgoing } from "../../../src/calls/outgoing.ts";
import type { HostAuthorities } from "../../../src/domain/host-proxies.ts";

const certificate = selfSigned(["localhost", "127.0.0.1"], Date.now());

/** A host whose certificate Node does not know, and calls to it under two names. */
async function host(authorities: HostAuthorities[]) {
  const server = createSecureServer({ ...certificate, allowHTTP1: true }, ({ httpVersion }, answer) =>
    answer.end(`HTTP ${httpVersion}`),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const outgoing = createOutgoing({ allowLoopback: true, authorities });
  onTestFinished(() => outgoing.close().then(() => void server.close()));
  const { port } = server.address() as AddressInfo;
  return (name: string, waiting = false) =>
    outgoing.call({ method: "GET", url: `https://${name}:${port}/`, timeoutMs: 10_000, waiting });
}

it("an authority of the operator's is trusted for its hosts and for no other, long polls included", async () => {
  const call = await host([{ hosts: ["localhost"], pem: certificate.cert }]);
  expect(await call("localhost")).toMatchObject({ type: "answer", status: 200 });
  expect(await call("localhost", true)).toMatchObject({ type: "answer", status: 200 });
  const refused = { type: "failure", sent: "no", detail: expect.stringContaining("SELF_SIGNED") };
  expect(await call("127.0.0.1")).toMatchObject(refused);
  expect(await call("127.0.0.1", true)).toMatchObject(refused);
});

it("each call has a connection of its own, also to a host that offers HTTP/2", async () => {
  const call = await host([{ hosts: ["localhost"], pem: certificate.cert }]);
  for (const waiting of [false, true])
    expect(await call("localhost", waiting)).toMatchObject({ bytes: Buffer.from("HTTP 1.1") });
});

it("without one the host stays unknown", async () => {
  const call = await host([]);
  expect(await call("localhost")).toMatchObject({ type: "failure", sent: "no" });
});
