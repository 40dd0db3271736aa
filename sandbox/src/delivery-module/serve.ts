import { serve } from "@hono/node-server";
import { createDeliveryModule } from "./module.ts";

export interface ModuleOptions {
  /** The account's address, and a key with the rights `integration_write` and `delivery_write`. */
  crm: string;
  key: string;
  port: number;
  log(words: string): void;
}

const CODE = "bicycle";

/** Serves the module on this machine and registers it. Throws with the CRM's words. */
export async function serveDeliveryModule({ crm: url, key, port, log }: ModuleOptions) {
  const module = createDeliveryModule({
    url: url.replace(/\/+$/, ""),
    key,
    code: CODE,
    clientId: crypto.randomUUID(),
    log,
  });
  const [server, origin] = await new Promise<[ReturnType<typeof serve>, string]>((resolve, reject) => {
    const server = serve({ fetch: module.fetch, hostname: "127.0.0.1", port }, (address) =>
      resolve([server, `http://127.0.0.1:${address.port}`]),
    );
    server.on("error", reject);
  });
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      if ("closeAllConnections" in server) server.closeAllConnections();
    });
  try {
    await module.register(origin);
  } catch (error) {
    await close();
    throw error;
  }
  return { origin, close };
}
