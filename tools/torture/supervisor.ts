import type { Server } from "gangway-sandbox/demo/server";

/** Restarts the server whenever it dies. */
export function supervise(server: Pick<Server, "ended" | "start">) {
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
    /** Resolves after the next death and restart. */
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
