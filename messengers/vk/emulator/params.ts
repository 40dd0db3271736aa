import { z } from "zod";
import { invalid } from "./refusal.ts";

// Fields of a form are texts; `x-wire` of VK's schema says how lists are written.

const whole = z.string().regex(/^-?\d{1,19}$/, "should be an integer");

export const int64 = whole.transform(BigInt);
export const int = whole.transform(Number).pipe(z.int());
export const positive = whole.transform(Number).pipe(z.int().min(0));
export const bool = z.enum(["0", "1", "true", "false"]).transform((given) => given === "1" || given === "true");
export const ints = z
  .string()
  .transform((list) => list.split(","))
  .pipe(z.array(int));
export const names = z.string().transform((list) => list.split(","));
export const text = z.string();

/** The fields that every method has. */
export const common = {
  access_token: text.optional(),
  v: z.string().regex(/^5\.\d+$/),
  lang: text.optional(),
  group_id: positive.optional(),
};

/** JSON in a field. Throws VkRefusal. */
export function jsonIn<Schema extends z.ZodType>(name: string, value: string, schema: Schema): z.infer<Schema> {
  const read = schema.safeParse(parsed(name, value));
  if (!read.success) throw invalid(`${name} is invalid`);
  return read.data;
}

function parsed(name: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw invalid(`${name} should be JSON`);
  }
}
