// Imports what an old Node cannot run only after it has been refused.
import { runtimeFault } from "./runtime.ts";

const fault = runtimeFault(process.versions.node);
if (fault) {
  process.stderr.write(`gangway: ${fault}\n`);
  process.exit(1);
}
if (process.argv.includes("--help")) await import("./operator/main.ts");
else await import("./server.ts");
