import { chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { becomes, pause } from "gangway-sandbox/demo/waiting";
import { copyPrograms } from "../../postgres-programs.ts";
import { fill, mount, unmount } from "../disk.ts";
import { atLeast, atMost, type Figure, none } from "../figure.ts";
import type { Trial, TrialContext } from "../trial.ts";
import { openDatabase, type Place } from "./database.ts";
import type { Fleet } from "./fleet.ts";
import { type Loss, SIZE, type Stage } from "./losses.ts";
import { play } from "./processes.ts";

/** The folders of data and log, and the space of each. */
const DISKS = { one: "192m", wal: "48m" };
/** Each piece of the log takes new space. */
const SETTINGS = ["wal_recycle=off", "min_wal_size=2MB", "max_wal_size=16MB"];
/** How long a disk stays full once PostgreSQL has noticed, ms: in a long run past the leases. */
const FULL_MS = { short: 3_000, long: 20_000 };
/** Until PostgreSQL notices, ms. */
const PATIENCE_MS = 60_000;
const RECOVERS_S = 30;

/** What the disks' ends have brought about. */
interface Seen {
  fleet?: Fleet;
  refused: number[];
  recovered: number[];
}

/** PostgreSQL's disks are full: that of its data, so that it refuses statements, and that of its log, so that it ends. */
export const databaseFull: Trial = {
  name: "PostgreSQL full",
  async run(context): Promise<Figure[]> {
    const place = onSmallDisks();
    if (!place) return [UNTRIED];
    const seen: Seen = { refused: [], recovered: [] };
    const full = (what: string, disk: keyof typeof DISKS): Loss => ({
      name: `PostgreSQL's disk is full: that of its ${what}`,
      cuts: SIZE,
      happen: (stage) => fillDisk(stage, seen, join(place.programs.folder, disk), FULL_MS[lengthOf(context)]),
    });
    const losses = [full("data", "one"), full("log", "wal")];
    try {
      const database = await openDatabase(place);
      try {
        return [...(await play({ context, database, losses })), ...figuresOf(seen, context)];
      } finally {
        await database.stop();
      }
    } finally {
      place.leave();
    }
  },
};

const lengthOf = ({ short }: TrialContext) => (short ? "short" : "long");

async function fillDisk({ fleet, crowd, database, witness }: Stage, seen: Seen, folder: string, ms: number) {
  seen.fleet = fleet;
  const answered = (status: number) =>
    crowd.reduce((sum, { crm }) => sum + crm.sandbox.calls.answered("webhook", status), 0);
  const before = answered(503);
  const ballast = join(folder, "ballast");
  fill(ballast);
  // What is left of the log's last piece would last the processes for long.
  await witness.write();
  await becomes(() => answered(503) > before, PATIENCE_MS);
  await pause(ms);
  seen.refused.push(answered(503) - before);
  rmSync(ballast);
  const began = Date.now();
  await database.primary().revive();
  const accepted = answered(200);
  const goesOn = await becomes(() => answered(200) > accepted, PATIENCE_MS);
  seen.recovered.push(goesOn ? (Date.now() - began) / 1_000 : Number.POSITIVE_INFINITY);
}

const NO_SPACE = /No space left on device/;
const SAID = /"event":"database\.full"/;

function figuresOf({ fleet, refused, recovered }: Seen, { slack }: TrialContext): Figure[] {
  const members = (fleet?.members ?? []).map(({ lines }) => {
    const said = lines.filter((line) => SAID.test(line)).length;
    return { said, hasMet: lines.some((line) => NO_SPACE.test(line)) };
  });
  const met = members.filter(({ hasMet }) => hasMet);
  return [
    atLeast("P19", "webhooks answered with 503 while a disk was full, the fewest", Math.min(...refused), 1),
    atMost(
      "P19",
      "longest time until one is accepted, once there is space",
      Math.max(...recovered),
      RECOVERS_S * slack,
      " s",
    ),
    atLeast("P19", "processes that have met a full disk", met.length, 1),
    none(
      "P19",
      "of these, those that do not say it in words, or say it more than once each time",
      met.filter(({ said }) => said === 0 || said > refused.length).length,
    ),
  ];
}

/** Undefined: only root can mount them. */
function onSmallDisks(): Place | undefined {
  const programs = copyPrograms();
  const { uid, gid } = programs.options;
  const folders = Object.keys(DISKS).map((disk) => join(programs.folder, disk));
  const leave = () => folders.forEach(unmount);
  for (const [n, size] of Object.values(DISKS).entries()) {
    const folder = folders[n] as string;
    mkdirSync(folder);
    const isMounted = mount(folder, `${size},mode=700`);
    if (isMounted && uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    if (isMounted) continue;
    leave();
    rmSync(programs.folder, { recursive: true, force: true });
    return undefined;
  }
  const made = [
    "--waldir",
    join(programs.folder, "wal"),
    "--wal-segsize=1",
    ...SETTINGS.flatMap((each) => ["--set", each]),
  ];
  return { programs, made, settings: SETTINGS, leave };
}

const UNTRIED: Figure = { promise: "P19", what: "PostgreSQL full", figure: "only root can mount a tmpfs", bound: "" };
