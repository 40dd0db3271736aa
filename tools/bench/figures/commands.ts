import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../../root.ts";
import { figureOf } from "../rounds.ts";
import { freshFolder, open } from "../stage.ts";
import { bounded, type Measure, type Scale } from "./figure.ts";

const ROUNDS: Record<Scale, number> = { quick: 5, usual: 15, long: 41 };
const CLI = join(ROOT, "dist", "cli.js");

function wholeMs(args: string[], env: Record<string, string>): number {
  const began = performance.now();
  execFileSync(process.execPath, args, { env });
  return performance.now() - began;
}

/** Operator commands from start to end, beside a Node that does nothing. */
export const commands: Measure = async (scale) => {
  const folder = freshFolder();
  await (await open(folder)).close();
  const env = { SANDBOX: "1", DATA_FOLDER: folder };
  const times = Array.from({ length: ROUNDS[scale] + 1 }, () => ({
    list: wholeMs([CLI, "accounts", "list"], env),
    help: wholeMs([CLI, "--help"], env),
    node: wholeMs(["--eval", "0"], env),
  })).slice(1);
  const of = (key: "list" | "help" | "node") => figureOf(times.map((each) => each[key]));
  const detail = { helpMs: of("help"), nodeMs: of("node") };
  const what = "a command that opens the store, from start to end";
  return [
    bounded({ name: "command", what, figure: of("list"), unit: " ms", atMost: 150, detail }),
    {
      name: "command-node",
      what: "a command that opens the store ÷ a Node that does nothing, start to end",
      figure: figureOf(times.map(({ list, node }) => list / node)),
      unit: "",
    },
  ];
};
