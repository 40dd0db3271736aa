import { expect, it } from "vitest";
import { judge } from "../../src/kit/level.ts";

type Test = [suite: string, title: string, status: string];
const reportOf = (tests: Test[], message = "") => ({
  testResults: [
    { message, assertionResults: tests.map(([suite, title, status]) => ({ ancestorTitles: [suite], title, status })) },
  ],
});
const CONTRACT: Test = ["the pager adapter", "keeps a genuine message", "passed"];
const PROOF: Test = ["what pager announces", "is exactly what it has shown", "passed"];

it.each<[string, Test[], { reads: boolean; proven: boolean }]>([
  ["whose contract and proof pass", [CONTRACT, PROOF], { reads: true, proven: true }],
  ["without a proof", [CONTRACT], { reads: true, proven: false }],
  ["whose proof fails", [CONTRACT, ["what pager announces", "is", "failed"]], { reads: true, proven: false }],
  ["whose contract fails", [["the pager adapter", "keeps", "failed"], PROOF], { reads: false, proven: false }],
  [
    "whose templates fail",
    [CONTRACT, PROOF, ["the templates of pager", "are", "failed"]],
    { reads: false, proven: false },
  ],
  [
    "one of whose tests is skipped",
    [CONTRACT, ["the pager adapter", "more", "skipped"], PROOF],
    { reads: false, proven: true },
  ],
  ["whose tests are skipped", [["the pager adapter", "keeps", "skipped"]], { reads: false, proven: false }],
  ["without the kit's tests", [["pager", "works", "passed"]], { reads: false, proven: false }],
])("judges a package %s", (_, tests, level) => {
  expect(judge(reportOf(tests))).toMatchObject(level);
});

it("names what failed, also where no test could begin", () => {
  const { said } = judge(reportOf([["the pager adapter", "keeps a message", "failed"]]));
  expect(said).toContain("FAULT  the pager adapter > keeps a message");
  const broken = judge(reportOf([], "Cannot find module ../src/index.ts"));
  expect(broken).toMatchObject({
    reads: false,
    said: expect.arrayContaining(["FAULT  Cannot find module ../src/index.ts"]),
  });
});
