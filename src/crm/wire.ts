import * as z from "zod";

// The CRM's shapes (contract: crm-modules). `null` counts as absent; unknown keys are ignored.

const absent = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === null ? undefined : value), schema.optional());
/** The CRM is PHP: it sends an empty map as an empty list. */
const map = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (Array.isArray(value) || value === null ? {} : value), schema);

export const errorBody = z.object({
  success: z.literal(false).optional(),
  errorMsg: absent(z.string()),
  errors: absent(z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())])),
});
export const versionsBody = z.object({ success: z.literal(true), versions: absent(z.array(z.string())) });
export const credentialsBody = z.object({
  success: z.literal(true),
  credentials: absent(z.array(z.string())),
  scopes: absent(z.array(z.string())),
});
export type Credentials = z.infer<typeof credentialsBody>;

const binding = absent(map(z.object({ endpointUrl: absent(z.string()), token: absent(z.string()) })));
export const editBody = z.object({ success: z.literal(true), info: absent(map(z.object({ mgTransport: binding }))) });
export const moduleBody = z.object({
  success: z.literal(true),
  integrationModule: z.object({
    code: z.string(),
    active: absent(z.boolean()),
    freeze: absent(z.boolean()),
    integrations: absent(map(z.object({ mgTransport: binding }))),
  }),
});
const texts = absent(map(z.record(z.string(), z.string())));
/** What another module has registered; `token` and `endpointUrl` are the gateway's. */
export const registrationBody = z.object({
  success: z.literal(true),
  integrationModule: z.object({
    ...{ code: z.string(), integrationCode: absent(z.string()), name: absent(z.string()), logo: absent(z.string()) },
    ...{ clientId: absent(z.string()), baseUrl: absent(z.string()), accountUrl: absent(z.string()) },
    ...{ active: absent(z.boolean()), freeze: absent(z.boolean()), actions: texts },
    availableCountries: absent(z.array(z.string())),
    integrations: absent(
      map(
        z.object({
          mgTransport: absent(
            map(
              z.object({
                webhookUrl: absent(z.string()),
                actions: texts,
                endpointUrl: absent(z.string()),
                token: absent(z.string()),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
const value = absent(z.object({ value: absent(z.string()) }));
export const settingsBody = z.object({
  success: z.literal(true),
  settings: map(z.object({ system_language: value, timezone: value })),
});
export const systemInfoBody = z.object({
  success: z.literal(true),
  publicUrl: absent(z.string()),
  technicalUrl: absent(z.string()),
});
export const doneBody = z.object({ success: z.literal(true) });
