import { loadSpec, type Spec } from "../spec.ts";

const FILES = { "crm-whole": "crm.openapi.json", "crm-extra": "crm-extra.openapi.json" };
/** Paths of the CRM's whole contract that the sandbox serves. */
const SERVED = /^\/api\/v5\/(reference\/|custom-fields|tasks(?!\/(history|[^/]+\/comments)))/;

/** The served part of the CRM's contract, by document. Modules and the chats' own calls have documents of their own. */
export function servedContract(): [document: string, spec: Spec][] {
  return Object.entries(FILES).map(([document, file]) => {
    const spec = loadSpec(file);
    const paths = Object.fromEntries(Object.entries(spec.paths).filter(([path]) => SERVED.test(path)));
    return [document, { ...spec, paths, webhooks: {} }];
  });
}
