import { copyFileSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "gangway-sandbox";
import { ask } from "../demo/ask.ts";
import { type Server, startServer } from "../demo/server.ts";
import { becomes } from "../waiting.ts";
import { atMost, exactly, type Figure, none } from "./figure.ts";
import { openField } from "./grid/field.ts";
import { type Station, tell } from "./grid/station.ts";
import type { Bench, Trial } from "./trial.ts";

/** What somebody does to the files of a server that runs. */
interface Mishap {
  name: string;
  /** Gives another server, where there is one then. `other`: a folder with another database. */
  happen(folder: string, bench: Bench, other: string): Promise<Server | undefined>;
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
    happen: async (folder, _, other) => {
      for (const name of databaseFiles(folder)) rmSync(join(folder, name));
      for (const name of databaseFiles(other)) copyFileSync(join(other, name), join(folder, name));
      return undefined;
    },
  },
  {
    name: "cut in place",
    happen: async (folder) => {
      truncateSync(join(folder, "gangway.db"));
      return undefined;
    },
  },
  {
    name: "left without what its log held",
    happen: async (folder) => {
      truncateSync(join(folder, "gangway.db-wal"));
      return undefined;
    },
  },
  {
    name: "taken by a second server, its lock removed",
    happen: async (folder, bench) => {
      for (const name of readdirSync(folder).filter((each) => each.startsWith("instance.lock")))
        rmSync(join(folder, name));
      return startServer({ port: await freePort(0), dataFolder: folder, env: bench.env, main: bench.program() }).catch(
        () => undefined,
      );
    },
  },
];

/** From the mishap to the end of the server, s. */
const NOTICED_S = 1;
const EXIT_S = 3;
const HOPELESS_MS = 6_000;
const BEAT_MS = 40;

/** The database goes from under the server: it takes nothing more, says why, and ends. */
export const databaseGone: Trial = {
  name: "database gone",
  async run(bench): Promise<Figure[]> {
    const figures: Figure[] = [];
    const other = await stoppedServer(bench);
    for (const mishap of MISHAPS) figures.push(...(await suffer(bench, mishap, other)));
    bench.injected("databases taken away", MISHAPS.length);
    return figures;
  },
};

async function suffer(bench: Bench, { name, happen }: Mishap, other: string): Promise<Figure[]> {
  const field = await openField(bench);
  let second: Server | undefined;
  try {
    const station = await field.open();
    const doors = knock(station);
    await becomes(() => doors.taken() > 5);
    const began = Date.now();
    const since = () => (Date.now() - began) / 1000;
    // Its other server takes a while to start: the first must not wait for that.
    const happening = happen(field.folder, bench, other);
    const unready = isUnready(field.server).then(since);
    let ended = Number.POSITIVE_INFINITY;
    const end = field.process.ended().then(() => {
      ended = since();
    });
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, HOPELESS_MS))]);
    second = await happening;
    const late = doors.takenAfter(began + NOTICED_S * 1000);
    await doors.stop();
    const told = field.process.lines.some(
      (line) => /"level":"(error|fatal)"/.test(line) && /database|lock/i.test(line),
    );
    return [
      atMost("P19", `database ${name}: until it is not ready`, await unready, NOTICED_S, " s"),
      none("P19", `database ${name}: taken at the doors after a second`, late),
      exactly("P19", `database ${name}: told in the log`, Number(told), 1),
      atMost("P19", `database ${name}: until it has ended`, ended, EXIT_S, " s"),
    ];
  } finally {
    await second?.kill("SIGKILL");
    await field.close();
  }
}

async function stoppedServer(bench: Bench): Promise<string> {
  const folder = bench.folder();
  const other = await startServer({
    port: await freePort(0),
    dataFolder: folder,
    env: bench.env,
    main: bench.program(),
  });
  await other.kill("SIGTERM");
  return folder;
}

async function isUnready(server: string): Promise<void> {
  const end = Date.now() + HOPELESS_MS;
  while (Date.now() < end) {
    const answer = await ask(`${server}/health/ready`).catch(() => undefined);
    if (!answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
  }
}

/** Both doors, again and again: what is answered with 200 counts as taken. */
function knock(station: Station) {
  const taken: number[] = [];
  const { telegram, bot, person, crm } = station;
  const hook = telegram.world.bots.get(bot.id)?.queue.webhook;
  let going = true;
  let update = 1_000_000_000;
  crm.sandbox.observe(({ side, status, at, ms }) => {
    if (side === "webhook" && status === 200) taken.push(at + ms);
  });
  const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": hook?.secret ?? "" };
  const customer = async () => {
    update += 1;
    const from = { id: person, is_bot: false, first_name: "Knocker" };
    const chat = { id: person, type: "private", first_name: "Knocker" };
    const message = { message_id: update, date: Math.floor(Date.now() / 1000), from, chat, text: `knock ${update}` };
    const body = JSON.stringify({ update_id: update, message });
    const answer = await ask(hook?.url ?? "", { method: "POST", headers, body }).catch(() => undefined);
    if (answer?.ok) taken.push(Date.now());
  };
  const run = async () => {
    for (let n = 0; going; n++) {
      await customer();
      if (n % 5 === 0) await tell(station, `agent ${n}`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
    }
  };
  const running = run();
  return {
    taken: () => taken.length,
    takenAfter: (at: number) => taken.filter((each) => each > at).length,
    stop: () => {
      going = false;
      return running;
    },
  };
}
