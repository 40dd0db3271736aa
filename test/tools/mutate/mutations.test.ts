import { expect, it } from "vitest";
import { mutated, mutationsOf, shownIn } from "../../../tools/mutate/mutations.ts";

const of = (text: string) => mutationsOf(text).map((mutation) => mutated(text, mutation));

it("a mutation changes an operator, a condition, a number or a flag, or leaves a call out", () => {
  expect(of("a < b;")).toEqual(["a <= b;"]);
  expect(of("a && b === 1;")).toEqual(["a || b === 1;", "a && b !== 1;", "a && b === (1 + 1);"]);
  expect(of("if (a) b();")).toEqual(["if (!(a)) b();", "if (a) ;"]);
  expect(of("const x = a ? b : !c;")).toEqual(["const x = !(a) ? b : !c;", "const x = a ? b : c;"]);
  expect(of("const x = true;")).toEqual(["const x = false;"]);
  expect(of("await a();")).toEqual([";"]);
});

it("types, imports and joined texts have none", () => {
  expect(of('import { a } from "./a.ts";\ntype A = 1 | true;\ninterface B { c: 2 }\nlet x: 3;\n"a" + b;')).toEqual([]);
});

it("a mutation is shown with its line, before and after", () => {
  const text = "first();\n  const x = a <= b;\n";
  const mutation = mutationsOf(text)[1] ?? expect.fail("none");
  expect(shownIn(text, mutation)).toEqual({ line: 2, before: "const x = a <= b;", after: "const x = a < b;" });
});
