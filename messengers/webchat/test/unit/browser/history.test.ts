import { describe, expect, it } from "vitest";
import { createHistory } from "../../../src/browser/history.ts";

describe("the folded history", () => {
  const message = (id: string) => ({ type: "message" as const, from: "agent" as const, id, files: [], at: 0 });
  it("stands in the journal's order, however it came", () => {
    const history = createHistory();
    history.take(message("mine"));
    history.take(message("b"), 2);
    history.take(message("a"), 1);
    expect(history.messages().map(({ id }) => id)).toEqual(["a", "b", "mine"]);
    history.take(message("mine"), 3);
    history.take(message("c"), 4);
    expect(history.messages().map(({ id }) => id)).toEqual(["a", "b", "mine", "c"]);
  });

  it("never goes back from read, and leaves alone what it does not know", () => {
    const history = createHistory();
    history.take({ type: "read", id: "unknown" }, 1);
    history.take(message("m"), 2);
    history.take({ type: "read", id: "m" }, 3);
    history.take({ type: "delivered", id: "m" }, 4);
    expect(history.messages()).toMatchObject([{ id: "m", status: "read" }]);
  });
});

describe("the history whose pages come from the newest back", () => {
  const message = (id: string) => ({
    type: "message" as const,
    from: "visitor" as const,
    id,
    text: "A",
    files: [],
    at: 0,
  });

  it("folds what befell a message although the message comes last", () => {
    const history = createHistory();
    history.take({ type: "deleted", id: "gone" }, 11);
    history.take({ type: "read", id: "m" }, 12);
    history.take({ type: "edited", id: "m", text: "C" }, 13);
    expect(history.messages()).toEqual([]);
    history.take(message("gone"), 1);
    history.take(message("m"), 2);
    history.take({ type: "edited", id: "m", text: "B" }, 3);
    history.take({ type: "delivered", id: "m" }, 4);
    expect(history.messages()).toMatchObject([
      { id: "gone", deleted: true },
      { id: "m", text: "C", edited: true, status: "read" },
    ]);
    expect(history.find("m")).toMatchObject({ text: "C" });
  });
});
