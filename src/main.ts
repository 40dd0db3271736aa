// Imports what an old Node cannot run only after it has been refused.
import { refuseOldNode } from "./runtime.ts";

refuseOldNode(process);
if (process.argv.includes("--help")) await import("./operator/main.ts");
else await import("./server.ts");
