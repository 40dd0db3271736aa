import { describe, expect, it } from "vitest";
import { memoryOf } from "../../../src/browser/memory.ts";
import { storage } from "../tab.ts";

describe("the memory of a browser", () => {
  it("is one for all its tabs: what one removes does not come back from another", () => {
    const items = storage();
    const [one, two] = [memoryOf("door", () => items), memoryOf("door", () => items)];
    one.set("draft:1", "x");
    expect(two.get("draft:1")).toBe("x");
    two.set("draft:1", null);
    expect([one.get("draft:1"), one.names("draft:")]).toEqual([null, []]);
  });

  it("lasts as long as the page where nothing can be stored, or removed", () => {
    const items = storage();
    items.setItem("gangway:door:draft:old", "x");
    const stuck = () => {
      throw new Error("SecurityError");
    };
    const memory = memoryOf("door", () => ({ ...items, length: 1, setItem: stuck, removeItem: stuck }));
    memory.set("draft:new", "y");
    expect(memory.names("draft:").sort()).toEqual(["draft:new", "draft:old"]);
    for (const name of memory.names("draft:")) memory.set(name, null);
    expect([memory.names("draft:"), memory.get("draft:old"), memory.get("draft:new")]).toEqual([[], null, null]);
  });

  it("keeps channels apart", () => {
    const items = storage();
    memoryOf("one", () => items).set("visitor", "a");
    expect(memoryOf("other", () => items).get("visitor")).toBeNull();
  });
});
