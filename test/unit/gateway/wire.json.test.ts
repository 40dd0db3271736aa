import { describe, expect, it } from "vitest";
import { int64, parseJson, writeJson } from "../../../src/gateway/wire.ts";
import { cpuMeter } from "../../support/cpu.ts";

describe("ids of 64 bits", () => {
  it("survive parsing and writing digit by digit", () => {
    const read = parseJson('{"id": 4912661846655238145, "small": 42}') as { id: string; small: number };
    expect(read).toEqual({ id: "4912661846655238145", small: 42 });
    expect(writeJson({ id: int64(read.id) })).toBe('{"id":4912661846655238145}');
  });

  it("leave digits inside texts, fractions and exponents alone", () => {
    const text =
      '{"a":"x,12345678901234567890,","b":"\\"12345678901234567890","c":1.2345678901234567,"d":1234567890123456e2}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it("take linear time on a broken text", () => {
    const cpu = cpuMeter();
    expect(() => parseJson(`[1234567890123456,"${'\\"'.repeat(40_000)}`)).toThrow(SyntaxError);
    // Usually below 2; quadratic work takes seconds.
    expect(cpu()).toBeLessThan(500);
  });

  it("cannot be forged by a text that looks like one", () => {
    const forged = { text: '","id":"int64:1"', mark: "int64:5", control: "\u0001int64:5" };
    expect(JSON.parse(writeJson(forged))).toEqual(forged);
  });

  it("are written as they are, whether a double holds them or not", () => {
    for (const digits of ["42", "9007199254740991", "9007199254740993", "-9223372036854775808"])
      expect(writeJson({ id: int64(digits) })).toBe(`{"id":${digits}}`);
  });
});

describe("null", () => {
  it("of a body however deep does no harm", () => {
    const deep = `${'{"a":['.repeat(100_000)}null${"]}".repeat(100_000)}`;
    expect(() => parseJson(`{"deep":${deep},"none":null}`)).not.toThrow();
  });

  it("is an absent field, at any depth, and stays in a list", () => {
    const text = '{"a":null,"b":{"c":null,"d":[{"e":null,"f":1},null]}}';
    expect(parseJson(text)).toEqual({ b: { d: [{ f: 1 }, null] } });
    expect(parseJson("null")).toBeNull();
  });
});
