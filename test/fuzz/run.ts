import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

/** `npm run fuzz -- [--bodies N] [--seed S] [--door name]`: the long run. */
const { values } = parseArgs({
  options: {
    bodies: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    door: { type: "string", default: "" },
  },
});
const env = { ...process.env, FUZZ_BODIES: values.bodies, FUZZ_SEED: values.seed, FUZZ_DOOR: values.door };
const run = spawn("npx", ["vitest", "run", "test/fuzz", "--reporter=verbose"], { env, stdio: "inherit" });
run.on("exit", (code) => process.exit(code ?? 1));
