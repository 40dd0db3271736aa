import { z } from "zod";

/** What is wrong with a body, in one line: `status: Too big: expected number to be <=599`. */
export const shapeFaults = ({ issues }: z.core.$ZodError): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${z.core.toDotPath(path)}: ${message}` : message)).join("; ");
