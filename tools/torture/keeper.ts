import type { Server } from "../demo/server.ts";

/** Starts the server again whenever it has died, as a supervisor does. */
export function keepAlive(server: Pick<Server, "ended" | "start">) {
  let going = true;
  let deaths = 0;
  let started: () => void = () => undefined;
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const run = async () => {
    for (;;) {
      await Promise.race([server.ended(), stopped]);
      if (!going) return;
      deaths += 1;
      await server.start().catch(() => undefined);
      started();
    }
  };
  const running = run();
  return {
    deaths: () => deaths,
    /** When it has died and is there again. */
    restarted: () =>
      new Promise<void>((resolve) => {
        started = resolve;
      }),
    stop: () => {
      going = false;
      stop();
      return running;
    },
  };
}
