import { copyFileSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "gangway-sandbox";
import { ask } from "gangway-sandbox/demo/ask";
import { type Server, startServer } from "gangway-sandbox/demo/server";
import { becomes } from "gangway-sandbox/demo/waiting";
import { atMost, exactly, type Figure, none } from "./figure.ts";
import { reply, type Station } from "./grid/station.ts";
import { openTestBed } from "./grid/test-bed.ts";
import type { Trial, TrialContext } from "./trial.ts";

/** Damage to a running server's files. */
interface Mishap {
  name: string;
  /** Returns the second server if it starts one. */
  happen(folder: string, at: Stage): Promise<Server | undefined>;
}
interface Stage {
  context: TrialContext;
  /** A folder with another database. */
  other: string;
  /** A second server's entry file, built before the clock runs. */
  program: string;
}
const FILES = /^gangway\.db/;
const databaseFiles = (folder: string) => readdirSync(folder).filter((name) => FILES.test(name));

const MISHAPS: Mishap[] = [
  {
    name: "renamed",
    happen: async (folder) => {
      renameSync(join(folder, "gangway.db"), join(folder, "elsewhere.db"));
      return undefined;
    },
  },
  {
    name: "deleted",
    happen: async (folder) => {
      for (const name of databaseFiles(folder)) rmSync(join(folder, name));
      return undefined;
    },
  },
  {
    name: "replaced by another",
    happen: async (folder, { other }) => {
      for (const name of databaseFiles(folder)) rmSync(join(folder, name));
      for (const name of databaseFiles(other)) copyFileSync(join(other, name), join(folder, name));
      return undefined;
    },
  },
  {
    name: "truncated",
    happen: async (folder) => {
      truncateSync(join(folder, "gangway.db"));
      return undefined;
    },
  },
  {
    name: "whose log is truncated",
    happen: async (folder) => {
      truncateSync(join(folder, "gangway.db-wal"));
      return undefined;
    },
  },
  {
    name: "opened by a second server, its lock removed",
    happen: async (folder, { context, program }) => {
      for (const name of readdirSync(folder).filter((each) => each.startsWith("instance.lock")))
        rmSync(join(folder, name));
      return startServer({
        port: await freePort(0),
        dataFolder: folder,
        env: context.env,
        main: program,
      }).catch(() => undefined);
    },
  },
];

/** Limits after the mishap, s: until the server is unready, and until it exits. */
const NOTICED_S = 1;
const EXIT_S = 3;
const GIVE_UP_MS = 6_000;
const NEVER = Number.POSITIVE_INFINITY;
const BEAT_MS = 40;

/** The database disappears: the server accepts nothing more, logs why and exits. */
export const databaseGone: Trial = {
  name: "database gone",
  async run(context): Promise<Figure[]> {
    const figures: Figure[] = [];
    const stage = { context, other: await stoppedServer(context), program: context.program() };
    for (const mishap of MISHAPS) figures.push(...(await playMishap(stage, mishap)));
    context.injected("databases lost", MISHAPS.length);
    return figures;
  },
};

async function playMishap(stage: Stage, { name, happen }: Mishap): Promise<Figure[]> {
  const { context } = stage;
  const testBed = await openTestBed(context);
  let second: Server | undefined;
  try {
    const station = await testBed.open();
    const traffic = sendTraffic(station);
    await becomes(() => traffic.accepted() > 5);
    const noticedS = NOTICED_S * context.slack;
    const began = Date.now();
    const since = () => (Date.now() - began) / 1000;
    // Do not wait for the second server's start.
    const happening = happen(testBed.folder, stage);
    const patienceMs = GIVE_UP_MS * context.slack;
    const unready = becomes(() => isUnready(testBed.server), patienceMs).then((seen) => (seen ? since() : NEVER));
    let ended = NEVER;
    void testBed.process.ended().then(() => {
      ended = since();
    });
    await becomes(() => ended < NEVER, patienceMs);
    second = await happening;
    const late = traffic.acceptedAfter(began + noticedS * 1000);
    await traffic.stop();
    const isWhy = (line: string) => /"level":"(error|fatal)"/.test(line) && /database|lock/i.test(line);
    const logged = await becomes(() => testBed.process.lines.some(isWhy));
    return [
      atMost("P19", `database ${name}: time until unready`, await unready, noticedS, " s"),
      none("P19", `database ${name}: requests accepted after ${noticedS} s`, late),
      exactly("P19", `database ${name}: logged`, Number(logged), 1),
      atMost("P19", `database ${name}: time until exit`, ended, EXIT_S * context.slack, " s"),
    ];
  } finally {
    await second?.kill("SIGKILL");
    await testBed.close();
  }
}

async function stoppedServer(context: TrialContext): Promise<string> {
  const folder = context.folder();
  const other = await startServer({
    port: await freePort(0),
    dataFolder: folder,
    env: context.env,
    main: context.program(),
  });
  await other.kill("SIGTERM");
  return folder;
}

const isUnready = async (server: string) => !(await ask(`${server}/health/ready`).catch(() => undefined))?.ok;

/** Keeps sending to both public endpoints; every 200 counts as accepted. */
function sendTraffic(station: Station) {
  const accepted: number[] = [];
  const { telegram, bot, person, crm } = station;
  const hook = telegram.world.bots.get(bot.id)?.queue.webhook;
  let going = true;
  let update = 1_000_000_000;
  crm.sandbox.observe(({ side, status, at, ms }) => {
    if (side === "webhook" && status === 200) accepted.push(at + ms);
  });
  const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": hook?.secret ?? "" };
  const customer = async () => {
    update += 1;
    const from = { id: person, is_bot: false, first_name: "Knocker" };
    const chat = { id: person, type: "private", first_name: "Knocker" };
    const message = { message_id: update, date: Math.floor(Date.now() / 1000), from, chat, text: `knock ${update}` };
    const body = JSON.stringify({ update_id: update, message });
    const answer = await ask(hook?.url ?? "", { method: "POST", headers, body }).catch(() => undefined);
    if (answer?.ok) accepted.push(Date.now());
  };
  const run = async () => {
    for (let n = 0; going; n++) {
      await customer();
      if (n % 5 === 0) await reply(station, `agent ${n}`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
    }
  };
  const running = run();
  return {
    accepted: () => accepted.length,
    acceptedAfter: (at: number) => accepted.filter((each) => each > at).length,
    stop: () => {
      going = false;
      return running;
    },
  };
}
