// Writes docs/api.json: the document of the vendor's API.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openapi } from "#product/http/api/openapi";
import { ROOT } from "./root.ts";

writeFileSync(join(ROOT, "docs/api.json"), `${JSON.stringify(openapi(), null, 2)}\n`);
