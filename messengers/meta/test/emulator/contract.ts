import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JournalEntry } from "gangway-messenger/kit/emulator/journal";

// The published contracts stand beside the checkout, not in it.

const ROOT = join(import.meta.dirname, "../../../..");
const FOLDERS = [
  process.env.MESSENGER_CONTRACTS,
  join(ROOT, "../shared/contract/messengers"),
  join(ROOT, "../../shared/contract/messengers"),
].filter((folder) => folder !== undefined);

interface Described {
  operationId?: string;
  requestBody?: { content: Record<string, object> };
  responses: Record<string, { content?: Record<string, object> }>;
}
interface Contract {
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, Record<string, Described>>;
}

/** Undefined where the contract is not beside the checkout. */
export function contractJudge(network: string): ((entry: JournalEntry) => string[]) | undefined {
  const file = FOLDERS.map((folder) => join(folder, network, "contract.json")).find((path) => existsSync(path));
  if (!file) return undefined;
  const contract = JSON.parse(readFileSync(file, "utf8")) as Contract;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(contract, network);
  const described = new Map<string, string>();
  for (const [group, all] of Object.entries({ paths: contract.paths, webhooks: contract.webhooks }))
    for (const [path, methods] of Object.entries(all))
      for (const [method, operation] of Object.entries(methods))
        if (operation.operationId)
          described.set(`${group} ${operation.operationId}`, `${group}/${pointer(path)}/${method}`);
  const at = (path: string): ValidateFunction => ajv.compile({ $ref: `${network}#/${path}` });
  const faultsOf = (path: string, value: unknown, what: string): string[] => {
    const check = at(path);
    return check(value) ? [] : [`${what}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value)}`];
  };
  return ({ kind, operation, status, request, answer, headers }) => {
    const path = described.get(
      `${kind === "call" ? "paths" : "webhooks"} ${operation === "webhook" ? "webhook" : operation}`,
    );
    if (!path || kind === "handshake") return [];
    const { requestBody, responses } = valueAt(contract, path) as Described;
    const media = kind === "webhook" ? "application/json" : (headers["content-type"] ?? "").split(";")[0];
    const isJudged = requestBody && (kind === "webhook" || status < 400) && media && requestBody.content[media];
    const asked = isJudged
      ? faultsOf(`${path}/requestBody/content/${pointer(media)}/schema`, request, `${operation} asks`)
      : [];
    const key = [String(status), `${String(status)[0]}XX`].find((each) => responses[each]?.content);
    if (kind === "webhook" || !key) return asked;
    const name = `${path}/responses/${key}/content/application~1json/schema`;
    return [...asked, ...faultsOf(name, answer, `${operation} answers ${status}`)];
  };
}

const pointer = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));

function valueAt(root: unknown, path: string): unknown {
  const names = path.split("/").map((name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((at, name) => (at as Record<string, unknown>)[name], root);
}
