import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../tools/root.ts";
import { LONG } from "../support/long.ts";
import { agentAnswers, runningProgram } from "../support/outside-program.ts";
import { until } from "../support/until.ts";
import { begunOutside } from "./outside.ts";
import { linted } from "./scratch.ts";

const EXAMPLE = join(ROOT, "docs", "pager");
const page = readFileSync(join(ROOT, "packages", "messenger", "README.md"), "utf8");
/** What the tutorial adds to the command's files, by where it goes in the package. */
const files = readdirSync(EXAMPLE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const exampleOf = (file: string) => readFileSync(join(EXAMPLE, file), "utf8");

/** The page's blocks of code, each below the path of its file in bold letters. */
const blocks = [...page.matchAll(/^(?:\*\*([\w./-]+)\*\*.*\n\n)?```ts\n([\s\S]*?)^```$/gm)].map(([, file, code]) => ({
  file,
  code: code ?? "",
}));

const COPY = /FAULT {2}the agent's a\d+ reached the customer \d+ times/;

describe("the tutorial", () => {
  let pager: Awaited<ReturnType<typeof begunOutside>>;
  let generated: Map<string, string>;
  beforeAll(async () => {
    pager = await begunOutside("pager");
    expect(pager.begun.code, pager.begun.said).toBe(0);
    generated = new Map(pager.generated());
    pager.install();
    cpSync(EXAMPLE, pager.folder, { recursive: true });
  });
  afterAll(() => pager.remove());

  it.each(blocks)("quotes $file as it is", ({ file, code }) => {
    expect(files).toContain(file);
    expect(exampleOf(file ?? "")).toContain(code);
  });

  it.each(files)("shows every line of %s that the command does not write", (file) => {
    const known = generated.get(file)?.split("\n") ?? [];
    const shown = blocks.filter((block) => block.file === file).flatMap(({ code }) => code.split("\n"));
    const missing = exampleOf(file)
      .split("\n")
      .filter((line) => !known.includes(line) && !shown.includes(line));
    expect(missing).toEqual([]);
  });

  it("has a messenger that is linted, and in which nothing is left to write", async () => {
    for (const file of files) expect(await linted(`messengers/pager/${file}`, exampleOf(file))).toBe(exampleOf(file));
    expect(pager.generated().filter(([, text]) => /write me|unwritten/.test(text))).toEqual([]);
  });

  it("has a messenger that is built and proven in its own folder, from tarballs alone", async () => {
    expect(await pager.types()).toEqual({ code: 0, said: "" });
    const proving = await pager.tests(["-t", "announces"], { PROVE: "1" });
    expect(pager.textOf("src/shown.ts"), proving.said).toContain('deleting: "outbound"');
    const tested = await pager.tests([]);
    expect(tested.code, tested.said).toBe(0);
    expect(await pager.build()).toEqual({ code: 0, said: "" });
  });

  it("has a messenger that carries messages both ways in the demo, beside the installed server", async () => {
    const args = ["demo", "--messenger", ".", "--port", "0", "--crm-port", "0"];
    const said = await runningProgram(process.execPath, [pager.sandbox, ...args], { cwd: pager.folder }, "Ctrl-C");
    const phone = /(http:\S+)\/pager\/phone/.exec(said);
    if (!phone?.[1]) throw new Error(`the demo has no phone of Pager:\n${said}`);
    const [address, origin] = phone;
    await fetch(address, { method: "POST", body: new URLSearchParams({ text: "ahoy" }) });
    await agentAnswers(origin ?? "", "ahoy", "hello, sailor");
    await until("the answer on the pager", async () =>
      (await (await fetch(`${address}/messages`)).text()).includes("hello, sailor"),
    );
  });

  it.runIf(LONG)(
    "has a messenger of the highest level",
    async () => {
      const { code, said } = await pager.kit("level", "--write");
      expect(code, said).toBe(0);
      expect(JSON.parse(pager.textOf("package.json")).gangway, said).toEqual({ port: "^0.1.0", level: "tortured" });
    },
    900_000,
  );

  it.runIf(LONG)(
    "has a messenger whose copies are noticed: under new keys, its network knows no repeat",
    async () => {
      const file = join(pager.folder, "src", "outbound.ts");
      const sent = "{ to: chat, text, key }";
      const text = readFileSync(file, "utf8");
      expect(text).toContain(sent);
      writeFileSync(file, text.replace(sent, "{ to: chat, text, key: crypto.randomUUID() }"));
      expect(await pager.build()).toEqual({ code: 0, said: "" });
      // By chance no call whose answer is lost had an effect.
      const tried: string[] = [];
      for (let n = 0; n < 4 && !COPY.test(tried.at(-1) ?? ""); n++) {
        const { code, said } = await pager.run(pager.sandbox, ["torture", "--messenger", "."]);
        tried.push(`${code} ${said}`);
      }
      expect(tried.at(-1)).toMatch(COPY);
      expect(tried.at(-1)).toMatch(/^1 /);
    },
    900_000,
  );
});
