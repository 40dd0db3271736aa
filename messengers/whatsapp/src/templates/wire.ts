import * as z from "zod";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const texts = z.array(z.string()).nullish().catch(undefined);

/** Meta writes kinds in capitals, and reads them in any case. */
const kind = z.string().transform((value) => value.toUpperCase());
const namedExample = z.object({ param_name: z.string(), example: z.string() });
export type NamedExample = z.infer<typeof namedExample>;
const namedExamples = z.array(namedExample).nullish().catch(undefined);

const button = z.object({
  type: kind,
  text,
  url: text,
  phone_number: text,
  example: z.union([texts, z.string()]).nullish(),
});
const component = z.object({
  type: kind,
  format: text.transform((value) => value?.toUpperCase()),
  text,
  example: z
    .object({
      header_text: texts,
      header_handle: texts,
      body_text: z.array(z.array(z.string())).nullish().catch(undefined),
      header_text_named_params: namedExamples,
      body_text_named_params: namedExamples,
    })
    .nullish()
    .catch(undefined),
  buttons: z.array(button).nullish(),
});
export type Component = z.infer<typeof component>;

/** A template as Meta gives it. */
export const wireTemplate = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  name: z.string(),
  language: z.string(),
  status: text,
  category: text,
  parameter_format: text,
  rejected_reason: text,
  quality_score: z.object({ score: text }).nullish().catch(undefined),
  components: z.array(component).nullish().catch(undefined),
});
export type WireTemplate = z.infer<typeof wireTemplate>;
