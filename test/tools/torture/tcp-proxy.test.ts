import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createTcpProxy } from "../../../tools/torture/tcp-proxy.ts";
import { listening } from "../../support/listening.ts";
import { until } from "../../support/until.ts";

async function behind() {
  const heard: string[] = [];
  const origin = await listening((request, response) => {
    heard.push(request.url ?? "");
    response.end("ok");
  });
  const proxy = await createTcpProxy();
  onTestFinished(proxy.close);
  proxy.target(Number(new URL(origin).port));
  return { proxy, heard };
}

it("bytes that a proxy holds arrive in order on release, also from clients that have disconnected", async () => {
  const { proxy, heard } = await behind();
  const [read, release] = [[] as string[], Promise.withResolvers<void>()];
  proxy.watch((request) => read.push(request));
  const held = proxy.hold(release.promise).then(() => void heard.push("released"));
  const gone = connect(Number(new URL(proxy.origin).port), "127.0.0.1");
  gone.write("GET /gone HTTP/1.1\r\nhost: x\r\n\r\n");
  await until("what it said", () => read.length === 1);
  gone.destroy();
  const stayed = fetch(`${proxy.origin}/stayed`);
  await until("what stays", () => read.length === 2);
  release.resolve();
  await held;
  expect(await (await stayed).text()).toBe("ok");
  await until("both", () => heard.length === 3);
  expect(heard).toEqual(["released", "/gone", "/stayed"]);
});
