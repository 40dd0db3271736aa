import { z } from "zod";

/** A body's faults on one line: `status: Too big: expected number to be <=599`. */
export const shapeFaults = ({ issues }: z.core.$ZodError): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${z.core.toDotPath(path)}: ${message}` : message)).join("; ");
