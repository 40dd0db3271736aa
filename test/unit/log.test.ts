import { describe, expect, it } from "vitest";
import { createLog } from "../../src/log.ts";

const KEY = "Zk3vQ9xLr2T8mNp5";

describe("the log", () => {
  it.each([
    ["as a field", { error: KEY }],
    ["inside a text", { error: `request to https://host/bot123:${KEY}/getMe failed` }],
    ["URL-encoded", { error: encodeURIComponent(`k=${KEY}`) }],
    ["in a field's name", { [KEY]: "x" }],
    ["in base64", { error: `Basic ${Buffer.from(`123:${KEY}`).toString("base64")}` }],
    ["in base64 for addresses", { error: `?start=${Buffer.from(`123:${KEY}`).toString("base64url")}&x` }],
    ["in hexadecimal", { error: Buffer.from(`123:${KEY}`).toString("hex") }],
  ])("masks a known secret %s", (_, fields) => {
    const lines: string[] = [];
    const log = createLog({ level: "debug", write: (line) => lines.push(line) });
    log.hide(`123:${KEY}`);
    log.warn("delivery.attempted", fields);
    for (const as of ["utf8", "base64", "base64url", "hex"] as const)
      expect(lines.join()).not.toContain(Buffer.from(`123:${KEY}`).toString(as).slice(6, -4));
    expect(lines.join()).toContain("***");
  });

  it("writes a JSON line with time, level and event", () => {
    const lines: string[] = [];
    createLog({ level: "info", write: (line) => lines.push(line) }).warn("proxies.not-set", { port: 3000 });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", event: "proxies.not-set", port: 3000 });
  });

  describe("writes the lines of an event-loop tick together", () => {
    const eventsOf = (text = "") => [...text.matchAll(/"event":"(\w+)"/g)].map(([, event]) => event);
    function twoLines() {
      const written: string[] = [];
      const exits = process.listeners("exit");
      const log = createLog({ level: "info", write: (lines) => written.push(lines) });
      log.info("first");
      log.info("second");
      expect(written).toEqual([]);
      const atExit = process.listeners("exit").filter((listener) => !exits.includes(listener));
      return { log, written, atExit };
    }

    it("at its end", async () => {
      const { written } = twoLines();
      await new Promise(setImmediate);
      expect(written.map(eventsOf)).toEqual([["first", "second"]]);
    });

    it.each(["warn", "error"] as const)("at once when one of them is of the level %s", (level) => {
      const { log, written } = twoLines();
      log[level]("third");
      expect(written.map(eventsOf)).toEqual([["first", "second", "third"]]);
    });

    it("at the process's exit, also after an uncaught error", () => {
      const { written, atExit } = twoLines();
      for (const listener of atExit) listener(1);
      expect(written.map(eventsOf)).toEqual([["first", "second"]]);
    });
  });
});
