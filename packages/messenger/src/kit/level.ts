import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";

/** Lowest first. */
export const LEVELS = ["reads", "proven", "tortured"] as const;
export type Level = (typeof LEVELS)[number];

/** Vitest's report, as far as it is read here. */
const report = z.object({
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(
        z.object({ ancestorTitles: z.array(z.string()), title: z.string(), status: z.string() }),
      ),
    }),
  ),
});
type Report = z.infer<typeof report>;

/** The levels that a package has reached, highest last, and how that was determined, in lines. */
export async function levelOf(folder: string): Promise<{ level?: Level; said: string[] }> {
  const { reads, proven, said } = judge(await testsIn(folder));
  if (!reads) return { said };
  if (!proven) return { level: "reads", said };
  const torture = await run(folder, binOf(folder, "gangway-sandbox"), ["torture", "--messenger", "."]);
  const lines = [...said, ...torture.out.trimEnd().split("\n")];
  return { level: torture.code === 0 ? "tortured" : "proven", said: lines };
}

/** By the tests of `test/contract.test.ts`. */
export function judge({ testResults }: Report): { reads: boolean; proven: boolean; said: string[] } {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const of = (title: RegExp) => tests.filter(({ ancestorTitles: [first = ""] }) => title.test(first));
  const failed = tests.filter(({ status }) => status === "failed");
  const broken = testResults.filter(({ assertionResults, message }) => assertionResults.length === 0 && message !== "");
  const proof = of(/^what \S+ announces$/);
  const contract = of(/^the \S+ adapter$/);
  const others = failed.filter((test) => !proof.includes(test));
  const passed = (all: typeof tests) => all.filter(({ status }) => status === "passed").length;
  const all = (kits: typeof tests) => kits.length > 0 && passed(kits) === kits.length;
  return {
    reads: all(contract) && others.length === 0 && broken.length === 0,
    proven: all(proof) && failed.length === 0 && broken.length === 0,
    said: [
      `contract: ${passed(contract)} of ${contract.length} tests passed; proof: ${passed(proof)} of ${proof.length}`,
      ...failed.map(({ ancestorTitles, title }) => `FAULT  ${[...ancestorTitles, title].join(" > ")}`),
      ...broken.map(({ message }) => `FAULT  ${message}`),
    ],
  };
}

async function testsIn(folder: string): Promise<Report> {
  const temporary = mkdtempSync(join(tmpdir(), "gangway-level-"));
  const file = join(temporary, "report.json");
  try {
    const { out } = await run(folder, binOf(folder, "vitest"), [
      "run",
      "test/contract",
      // An adapter is not at fault when a slow machine takes longer.
      "--testTimeout=60000",
      "--hookTimeout=60000",
      "--reporter=json",
      `--outputFile=${file}`,
    ]);
    return report.parse(JSON.parse(textOf(file, out)));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function textOf(file: string, said: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new Error(`the tests do not run:\n${said}`);
  }
}

/** The executable of an installed package. Throws an Error in words. */
function binOf(folder: string, name: string): string {
  const { resolve } = createRequire(join(folder, "package.json"));
  try {
    const file = resolve(`${name}/package.json`);
    const { bin } = JSON.parse(readFileSync(file, "utf8"));
    return join(dirname(file), typeof bin === "string" ? bin : bin[name]);
  } catch {
    throw new Error(`${name} is not installed here`);
  }
}

const run = (cwd: string, program: string, args: string[]) =>
  new Promise<{ code: number; out: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        out += text;
      });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, out }));
  });
