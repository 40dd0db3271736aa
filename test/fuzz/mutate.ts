import type { Random } from "../support/random.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const STRINGS = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202eevil",
  "null",
  "-1",
  "0x10",
  "9223372036854775807",
  "99999999999999999999",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "javascript:alert(1)",
  "https://127.0.0.1/",
  "<script>alert(1)</script>",
  "'; DROP TABLE job; --",
  "%00%ff%",
  "h:",
  "a/b#1~2",
  "👨‍👩‍👧‍👦",
];
const NUMBERS = [0, -0, -1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 8.64e15, 8.64e15 + 1];
const KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "length",
  "",
  "id",
  "type",
  "data",
];

function scalar(random: Random): Json {
  switch (random.int(8)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
    case 3:
      return random.pick(NUMBERS);
    case 4:
      return random.int(2 ** 31);
    case 5:
      return random.pick(["x", "\u0000", "é", "\ud83d", "9", ".", " ", "\n", "/"]).repeat(random.int(300));
    default:
      return random.pick(STRINGS);
  }
}

/** Any JSON value, not too deep. */
export function anyJson(random: Random, depth = 4): Json {
  if (depth === 0 || random.chance(0.4)) return scalar(random);
  const size = random.int(5);
  if (random.chance(0.5)) return Array.from({ length: size }, () => anyJson(random, depth - 1));
  const keys = Array.from({ length: size }, () => (random.chance(0.5) ? random.pick(KEYS) : String(random.int(100))));
  return withKeys(keys.map((key) => [key, anyJson(random, depth - 1)]));
}

/** Keeps `__proto__` as an own key, like JSON.parse. */
const withKeys = (entries: [string, Json][]): Json => Object.fromEntries(entries);

const nested = (depth: number): Json => Array.from({ length: depth }).reduce<Json>((inner) => [inner], 0);

/** Mutates one to three values; half the time only one, since a schema stops at the first fault. */
export function mutatedJson(value: Json, random: Random): Json {
  let mutated = value;
  for (let n = random.chance(0.5) ? 0 : random.int(3); n >= 0; n--) mutated = mutateOnce(mutated, random);
  return mutated;
}

function mutateOnce(value: Json, random: Random): Json {
  if (typeof value !== "object" || value === null || random.chance(0.04)) return mutateValue(value, random);
  const keys = Object.keys(value);
  if (keys.length === 0) return mutateValue(value, random);
  const at = random.pick(keys);
  const inside = mutateOnce((value as Record<string, Json>)[at] ?? null, random);
  if (Array.isArray(value)) return value.map((each, n) => (String(n) === at ? inside : each));
  const entries = Object.entries(value);
  if (random.chance(0.1)) return withKeys(entries.filter(([key]) => key !== at));
  if (random.chance(0.1)) return withKeys([...entries, [random.pick(KEYS), anyJson(random, 2)]]);
  return withKeys(entries.map(([key, each]) => [key, key === at ? inside : each]));
}

function mutateValue(value: Json, random: Random): Json {
  // A value of the same type passes the schema.
  if (typeof value === "number" && random.chance(0.6)) return random.pick(NUMBERS);
  if (typeof value === "string" && random.chance(0.6)) return random.pick(STRINGS);
  switch (random.int(7)) {
    case 0:
      return anyJson(random, 2);
    case 1:
      return [value];
    case 2:
      return random.chance(0.3) ? { length: { toString: value } } : { [random.pick(KEYS)]: value };
    case 3:
      return JSON.stringify(value);
    case 4:
      return Array.isArray(value) ? [...value, ...value] : nested(random.int(200));
    default:
      return scalar(random);
  }
}

const bytes = (random: Random, length: number) => Uint8Array.from({ length }, () => random.int(256));

/** A body derived from a sample: mutated, broken, unrelated, or sometimes unchanged. */
export function mutatedBody(sample: Json, random: Random): Uint8Array {
  const text = JSON.stringify(sample);
  const draw = random.int(100);
  if (draw < 5) return Buffer.from(text);
  if (draw < 65) return Buffer.from(JSON.stringify(mutatedJson(sample, random)) ?? "null");
  if (draw < 80) return Buffer.from(JSON.stringify(anyJson(random)));
  if (draw < 92) return broken(Buffer.from(text), random);
  return bytes(random, random.int(2_000));
}

/** Truncated, doubled, or with random bytes inserted or one removed. */
export function broken(body: Uint8Array, random: Random): Uint8Array {
  const at = random.int(body.length + 1);
  switch (random.int(4)) {
    case 0:
      return body.subarray(0, at);
    case 1:
      return Buffer.concat([body, body]);
    case 2:
      return Buffer.concat([body.subarray(0, at), bytes(random, 1 + random.int(8)), body.subarray(at)]);
    default:
      return Buffer.concat([body.subarray(0, at), body.subarray(at + 1)]);
  }
}

type Fields = Record<string, string>;

/** A form derived from a sample in the same ways. */
export function mutatedForm(sample: Fields, random: Random): Uint8Array {
  const draw = random.int(100);
  if (draw < 5) return Buffer.from(new URLSearchParams(sample).toString());
  if (draw < 15) return bytes(random, random.int(500));
  if (draw < 30) return broken(Buffer.from(new URLSearchParams(sample).toString()), random);
  const fields = new URLSearchParams(sample);
  for (let n = random.int(3); n >= 0; n--) mutateField(fields, random);
  return Buffer.from(fields.toString());
}

function mutateField(fields: URLSearchParams, random: Random): void {
  const name = random.pick([...fields.keys(), ...KEYS]);
  const draw = random.int(5);
  if (draw === 0) fields.delete(name);
  else if (draw === 1) fields.append(name, fields.get(name) ?? "x");
  else if (draw === 2) fields.append(`${name}[]`, "x");
  else fields.set(name, String(scalar(random)));
}
