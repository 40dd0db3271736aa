import type { Hindrance } from "gangway-messenger/errors";
import { LANGUAGES } from "gangway-messenger/language";
import { arrivedText, lossNote, missingFileText } from "gangway-messenger/loss";
import type { Unchanged } from "gangway-messenger/message";
import type { Loss } from "gangway-messenger/plan";
import { describe, expect, it } from "vitest";
import { unchangedText } from "../../../src/domain/revision.ts";

const CODES: Loss["code"][] = ["file-as-link", "picture-as-file", "picture-as-link", "buttons", "part"];
const SEEN: Unchanged["seen"][] = ["before", "partly", "nothing", "unknown"];
const HINDRANCES: Hindrance["code"][] = ["too-old", "fixed", "gone", "blocked", "forbidden", "late"];

describe.each(LANGUAGES)("notes to agents in %s", (language) => {
  it("name what was lost", () => {
    const note = lossNote(
      CODES.map((code) => ({ code, about: `<${code}>` })),
      language,
    );
    for (const code of CODES) expect(note).toContain(`<${code}>`);
    expect(missingFileText({ name: "a.zip", size: 1_572_864 }, language)).toContain("a.zip, 1.5 MB");
    expect(arrivedText({ type: "text", text: "ahoy" }, language)).toContain("“ahoy”");
  });

  it("say what the customer still sees, and why, for every change and hindrance", () => {
    const notes = new Set<string>();
    for (const act of ["edited", "deleted"] as const)
      for (const seen of SEEN)
        for (const code of HINDRANCES) {
          const change = { act, seen, words: "old {words}", hindrance: { code, about: "48" }, said: "no" };
          const note = unchangedText(change, language);
          expect(note).toContain("old {words}");
          if (code === "too-old") expect(note).toContain("48");
          notes.add(note);
        }
    // Only an edit of a message that is gone says nothing of its own reason.
    expect(notes.size).toBe(2 * SEEN.length * HINDRANCES.length);
  });
});
