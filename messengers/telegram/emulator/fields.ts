import { Malformed } from "./refusal.ts";

const typeOf = (value: unknown): string => {
  if (value === null || value === undefined) return "Null";
  if (Array.isArray(value)) return "Array";
  const name = typeof value;
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** A 64-bit integer. */
export const isLong = (digits: string): boolean =>
  /^-?\d{1,19}$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);

/** Reads an object's fields as Telegram does; each reader throws Telegram's error. */
export interface Fields {
  has(name: string): boolean;
  raw(name: string): unknown;
  /** Accepts a number, too. */
  text(name: string): string;
  optionalText(name: string): string;
  integer(name: string): number;
  optionalInteger(name: string): number;
  /** As digits: 64 bits exceed JavaScript's numbers. */
  long(name: string): string;
  optionalLong(name: string): string;
  optionalFlag(name: string): boolean;
  object(name: string): Fields;
  optionalArray(name: string): unknown[] | undefined;
}

/** `wrong`: the error for a non-object. */
export function fieldsOf(value: unknown, wrong: string): Fields {
  if (typeOf(value) !== "Object") throw new Malformed(wrong);
  const fields = value as Record<string, unknown>;
  const has = (name: string) => typeOf(fields[name]) !== "Null";
  const required = (name: string): unknown => {
    if (!has(name)) throw new Malformed(`Can't find field "${name}"`);
    return fields[name];
  };
  const ofType = (name: string, type: string) => {
    if (typeOf(fields[name]) !== type) throw new Malformed(`Field "${name}" must be of type ${type}`);
    return fields[name];
  };
  const text = (name: string): string =>
    typeof required(name) === "number" ? String(fields[name]) : (ofType(name, "String") as string);
  const integer = (name: string): number => {
    const read = typeof required(name) === "string" ? Number(fields[name]) : (ofType(name, "Number") as number);
    if (!Number.isSafeInteger(read)) throw new Malformed(`Field "${name}" must be a valid Number`);
    return read;
  };
  const long = (name: string): string => {
    const digits = text(name);
    if (!isLong(digits)) throw new Malformed(`Field "${name}" must be a valid Number`);
    return digits;
  };
  return {
    has,
    raw: (name) => fields[name],
    text,
    integer,
    long,
    optionalLong: (name) => (has(name) ? long(name) : ""),
    optionalText: (name) => (has(name) ? text(name) : ""),
    optionalInteger: (name) => (has(name) ? integer(name) : 0),
    optionalFlag: (name) => has(name) && (ofType(name, "Boolean") as boolean),
    object: (name) => {
      required(name);
      return fieldsOf(ofType(name, "Object"), "");
    },
    optionalArray: (name) => (has(name) ? (ofType(name, "Array") as unknown[]) : undefined),
  };
}

/** Reads an array; `name` is Telegram's name of an item. */
export function itemsOf<T>(value: unknown, name: string, read: (item: unknown) => T): T[] {
  if (typeOf(value) === "Null") return [];
  if (!Array.isArray(value)) throw new Malformed(`Expected an Array of ${name}`);
  return value.map((item) => withPrefix(`Can't parse ${name}: `, () => read(item)));
}

/** Prefixes an error with its location. */
export function withPrefix<T>(prefix: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Malformed ? new Malformed(prefix + error.bare) : error;
  }
}

/** Parses a value that forms carry as JSON. */
export function decoded(value: unknown, wrong: string): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Malformed(wrong);
  }
}
