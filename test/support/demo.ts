import { onTestFinished } from "vitest";
import { freePort, type Server, startServer } from "../../dist/sandbox/demo/server.js";
import { connectThroughForm } from "../../dist/sandbox/demo/set-up.js";
import { serveSandbox } from "../../dist/sandbox/serve.js";
import { temporaryFolder } from "./store.ts";
import { SETTINGS } from "./unknowns.ts";

/** The built server as a process of its own beside a sandbox, with an account and a web chat: what `npm run demo` shows. */
export async function runningDemo(settings: unknown = SETTINGS) {
  const port = await freePort(0);
  const sandbox = await serveSandbox({ port: 0, moduleUrl: `http://127.0.0.1:${port}`, settings });
  const env = { PATH: process.env.PATH ?? "", LOG_LEVEL: "debug" };
  const server: Server = await startServer({ port, dataFolder: temporaryFolder(), env });
  onTestFinished(async () => {
    await server.kill("SIGKILL");
    await sandbox.close();
  });
  const { channel } = await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  const shop = `${sandbox.origin}/shop?module=${encodeURIComponent(server.origin)}&channel=${channel}`;
  return { server, sandbox, channel, shop, door: `${server.origin}/m/${channel}` };
}
