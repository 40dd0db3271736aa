import { describe, expect, it } from "vitest";
import { type Command, parseArguments, UsageError } from "../../../src/operator/command.ts";
import { handClock } from "../../support/clock.ts";
import { oneChannelOn, SQLITE } from "../../support/engines.ts";
import { gangway } from "../../support/gangway.ts";

const command: Command = {
  words: "things show",
  summary: "show a thing",
  takes: { name: "id", needed: true },
  options: { channel: { value: "id", help: "of that channel" } },
  run: async () => ({ ok: true, json: {}, text: [] }),
};
const DASHED = `-${"aB3_-".repeat(5)}`.slice(0, 22);

describe("the arguments of a command", () => {
  it.each([[[DASHED]], [["--json", DASHED]], [[DASHED, "--json"]], [["--", DASHED]]])(
    "take an id that begins with a dash: %j",
    (args) => {
      expect(parseArguments(command, args).word).toBe(DASHED);
    },
  );

  it("take a group's id of a messenger", () => {
    expect(parseArguments(command, ["-1001234567890:55"]).word).toBe("-1001234567890:55");
  });

  it("take such an id as an option's value, too", () => {
    const given = parseArguments(command, ["--channel", DASHED, DASHED, "--json"]);
    expect([given.word, given.text("channel"), given.on("json")]).toEqual([DASHED, DASHED, true]);
  });

  it("still refuse an option that does not exist", () => {
    for (const args of [["x", "--jsno"], ["-x"], ["--Channel", "a"]])
      expect(() => parseArguments(command, args), args.join(" ")).toThrow(UsageError);
  });

  it("reach the command", async () => {
    const { folder, env } = await oneChannelOn(SQLITE, { clock: handClock(Date.now()) });
    const { code, err, out } = await gangway(folder, ["accounts", "show", DASHED], env);
    expect([code, out + err]).toEqual([1, expect.stringContaining(`There is no account ${DASHED}`)]);
  });
});
