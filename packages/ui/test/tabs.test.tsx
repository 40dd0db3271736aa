import { describe, expect, it } from "vitest";
import { Tabs } from "../src/tabs.tsx";

const [ONE, TWO] = [
  { id: "one", text: "One", content: "1" },
  { id: "two", text: "Two", content: "2" },
];

/** Ids of the tabs and of their parts, and what is in sight as long as the address names none. */
function shown(...[tabs, open]: [Parameters<typeof Tabs>[0]["tabs"], string?]) {
  const page = String(<Tabs label="Parts" tabs={tabs} open={open} />);
  const all = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, id]) => id);
  return {
    tabs: all(/href="#(\w+)"/g),
    parts: all(/<section id="(\w+)"/g),
    open: [...all(/href="#(\w+)" class="first"/g), ...all(/id="(\w+)" class="panel first"/g)],
  };
}

describe("the tab in sight first", () => {
  it("is the first one", () => {
    expect(shown([ONE, TWO])).toEqual({ tabs: ["one", "two"], parts: ["one", "two"], open: ["one", "one"] });
  });

  it("is the one that the page opens", () => {
    expect(shown([ONE, TWO], "two").open).toEqual(["two", "two"]);
  });

  it("is the first that there is", () => {
    expect(shown([false, undefined, TWO])).toEqual({ tabs: ["two"], parts: ["two"], open: ["two", "two"] });
  });
});
