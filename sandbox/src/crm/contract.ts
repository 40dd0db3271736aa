import { type Json, loadSpec, type Spec } from "../spec.ts";

const FILES = { "crm-whole": "crm.openapi.json", "crm-extra": "crm-extra.openapi.json" };
/** Paths of the CRM's whole contract that the sandbox serves. */
const SERVED = [
  /^\/api\/v5\/reference\//,
  /^\/api\/v5\/custom-fields/,
  /^\/api\/v5\/tasks/,
  /^\/api\/v5\/store\//,
  /^\/api\/v5\/files/,
  /^\/api\/v5\/(users|user-groups|segments|settings)/,
  /^\/api\/v5\/orders/,
  /^\/api\/v5\/delivery\//,
  /^\/api\/v5\/customers/,
];
/** Its calls to delivery modules. */
const CALLED = /^(save|delete|calculate|shipmentSave|shipmentDelete)$/;

/** The served part of the CRM's contract, by document. Modules and the chats' own calls have documents of their own. */
export function servedContract(): [document: string, spec: Spec][] {
  return Object.entries(FILES).map(([document, file]) => {
    const spec = withTexts(loadSpec(file));
    const paths = Object.fromEntries(
      Object.entries(spec.paths).filter(([path]) => SERVED.some((served) => served.test(path))),
    );
    const webhooks = Object.fromEntries(Object.entries(spec.webhooks ?? {}).filter(([action]) => CALLED.test(action)));
    return [document, { ...spec, paths: widened(paths), webhooks }];
  });
}

/** Corporate customers' tags may be texts in recorded answers, as customers' may. */
function withTexts(spec: Spec): Spec {
  const { CustomerCorporate, Customer } = (spec.components.schemas ?? {}) as Record<string, { properties: Json }>;
  if (CustomerCorporate && Customer)
    Object.assign(CustomerCorporate.properties.tags as Json, { items: (Customer.properties.tags as Json).items });
  return spec;
}

/** Clients also name a property by its code, which the contract notes as disputed. */
const BY_CODE = "filter[properties][]";

/** The CRM's words for a key that sees several shops and names none, as its clients report them. */
export const SITE_MISSING = "Parameter 'site' is missing";
/** Where it refuses such a call. The contract says only that `site` is needed. */
export const IN_SHOP = [
  "/api/v5/customers/create",
  "/api/v5/customers/upload",
  "/api/v5/customers-corporate/create",
  "/api/v5/customers-corporate/upload",
  "/api/v5/orders/create",
  "/api/v5/orders/upload",
  "/api/v5/orders/{externalId}/edit",
] as const;

function widened(paths: Spec["paths"]): Spec["paths"] {
  const byCode = { name: "filter[properties]", in: "query", schema: { type: "object" } };
  for (const path of IN_SHOP) {
    const { post } = paths[path] ?? {};
    const errors = (post?.["x-errors"] ?? []) as Json[];
    if (post) Object.assign(post, { "x-errors": [...errors, { status: 400, errorMsg: SITE_MISSING }] });
  }
  for (const { get } of Object.values(paths)) {
    const parameters = (get?.parameters ?? []) as Json[];
    if (parameters.some(({ name }) => name === BY_CODE))
      Object.assign(get as Json, { parameters: [...parameters, byCode] });
  }
  return paths;
}

/** The modules' document is the authority for chats; the whole contract adds the other kinds of integration. */
export function moduleContract(): Spec {
  const modules = loadSpec("crm-modules.openapi.json");
  const { schemas = {} } = modules.components;
  const completed = (name: string, whole: string) => {
    const others = JSON.stringify(schemaOf(whole).properties).replaceAll('"$ref":"#/', '"$ref":"crm-whole#/');
    const own = schemas[name] as Json & { properties: Json };
    return { ...own, properties: { ...JSON.parse(others), ...own.properties } };
  };
  const IntegrationsEdit = completed("IntegrationsEdit", "IntegrationsEdit");
  const IntegrationsState = completed("IntegrationsState", "Integrations");
  return {
    ...modules,
    components: { ...modules.components, schemas: { ...schemas, IntegrationsEdit, IntegrationsState } },
  };
}

let schemas: Record<string, Json> | undefined;
/** A schema of the CRM's whole contract, or of what was found beside it. */
export function schemaOf(name: string): Json {
  const [whole, extra] = [FILES["crm-whole"], FILES["crm-extra"]];
  schemas ??= { ...loadSpec(extra).components.schemas, ...loadSpec(whole).components.schemas };
  return schemas[name] ?? {};
}
