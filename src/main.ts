// Refuses an old Node before importing modules that it cannot run.
import { refuseOldNode } from "./runtime.ts";

refuseOldNode(process);
if (process.argv.includes("--help")) await import("./operator/main.ts");
else await import("./server.ts");
