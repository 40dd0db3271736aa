import { connect, type Socket } from "node:net";
import { ask } from "gangway-sandbox/demo/ask";
import { startServer } from "gangway-sandbox/demo/server";
import { pause } from "gangway-sandbox/demo/waiting";
import { crowd } from "./crowd.ts";
import { kept, options, report } from "./deaths.ts";
import { atLeast, type Figure, none } from "./figure.ts";
import { steady } from "./hurry.ts";
import type { CrowdOptions, Scene } from "./scene.ts";
import type { Trial, TrialContext } from "./trial.ts";

// What the machine does to a process that itself is well.

const HOUR_MS = 3_600_000;
/** A glitch passes; a step lasts, and is adopted after a minute. */
const [GLITCH_MS, STEP_MS, BETWEEN_MS] = [6_000, 75_000, 3_000];
const SIZE = { short: { accounts: 2, chats: 4 }, long: { accounts: 6, chats: 20 } };
const TURN_MS = { short: 600, long: 1_000 };

/** With each SIGUSR2 the process's wall clock is an hour ahead, right, an hour behind, right, and so on. */
const JUMPING = `const [Real, steps] = [Date, [0, ${HOUR_MS}, 0, ${-HOUR_MS}]];
  let signals = 0;
  process.on("SIGUSR2", () => { signals += 1; });
  const now = () => Real.now() + steps[signals % steps.length];
  globalThis.Date = class extends Real {
    constructor(...given) { if (given.length > 0) super(...given); else super(now()); }
    static now() { return now(); }
  };`;
const preloaded = (script: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
});

/** They talk for as long as `torment` takes. */
function talkDuring(context: TrialContext, torment: (scene: Scene) => Promise<void>): CrowdOptions {
  const kind = context.short ? "short" : "long";
  return {
    ...options(context),
    ...{ ...SIZE[kind], messages: 96, calls: 64, turnMs: TURN_MS[kind] },
    ...{ folder: context.folder(), main: context.program() },
    async during(scene) {
      scene.dying = true;
      try {
        await pause(BETWEEN_MS);
        await torment(scene);
      } finally {
        scene.dying = false;
      }
    },
  };
}

/** The wall clock is put on and back by an hour, for seconds and for longer: nothing waits or ends for it. */
export const clockJumps: Trial = {
  name: "clock jumps",
  async run(context): Promise<Figure[]> {
    const lasting = context.short ? [GLITCH_MS, GLITCH_MS] : [GLITCH_MS, GLITCH_MS, STEP_MS, STEP_MS];
    const scene = talkDuring(context, async ({ server }) => {
      for (const ms of lasting) {
        server.send("SIGUSR2");
        await pause(ms);
        server.send("SIGUSR2");
        await pause(BETWEEN_MS);
        context.injected("steps of the wall clock", 2);
      }
    });
    const main = context.program(steady(context));
    const result = await crowd({ ...scene, main, env: { ...scene.env, ...preloaded(JUMPING) } });
    report(context, result);
    return [
      ...kept(result, { lost: "P1", duplicates: "P2" }),
      none("P2", "duplicates in chats while the clock jumps", result.duplicates),
    ];
  },
};

/** Fewer than the strangers below open; the server itself needs some 60. */
const OPEN_FILES = 300;
const STRANGERS = 600;
const [HOLD_MS, LOOKS] = [5_000, 5];

/** Strangers open more connections than the process may have files. */
export const fewDescriptors: Trial = {
  name: "out of descriptors",
  async run(context): Promise<Figure[]> {
    let refused = 0;
    let unanswered = 0;
    let lines: string[] = [];
    const scene = talkDuring(context, async ({ server, metricsPort }) => {
      lines = server.lines;
      const port = Number(new URL(server.origin).port);
      for (let round = 0; round < (context.short ? 2 : 20); round++) {
        const { sockets, closed } = strangers(port);
        for (let look = 0; look < LOOKS; look++) {
          await pause(HOLD_MS / LOOKS);
          // On another port, by a new connection each.
          const answer = ask(`http://127.0.0.1:${metricsPort}/ledger`);
          if (!(await answer.then(({ ok }) => ok).catch(() => false))) unanswered += 1;
        }
        refused += closed();
        for (const socket of sockets) socket.destroy();
        await pause(BETWEEN_MS);
        context.injected("connections of strangers", STRANGERS);
      }
    });
    const serve: CrowdOptions["serve"] = (start) => startServer({ ...start, openFiles: OPEN_FILES });
    const result = await crowd({ ...scene, serve });
    report(context, result);
    const ends = lines.filter((line) => /EMFILE|"server\.stop/.test(line)).length;
    return [
      ...kept(result, { lost: "P1", duplicates: "P2" }),
      none("P19", "lines about files that could not be opened, or an end", ends),
      none("P19", "looks at the ledger that got no answer meanwhile", unanswered),
      atLeast("P19", "connections of strangers that were refused", refused, 1),
    ];
  },
};

/** Each has written half a request. */
function strangers(port: number): { sockets: Socket[]; closed(): number } {
  let closed = 0;
  const sockets = Array.from({ length: STRANGERS }, () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    // Not one that this process itself could not open.
    socket.once("connect", () =>
      socket.on("close", () => {
        closed += 1;
      }),
    );
    socket.write("GET / HTTP/1.1\r\nhost: gangway\r\n");
    return socket;
  });
  return { sockets, closed: () => closed };
}
