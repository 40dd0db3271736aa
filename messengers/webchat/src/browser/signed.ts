import { Refused } from "./protocol.ts";
import type { Server } from "./server.ts";

/** Opens an anonymous chat for a customer whom the server refuses, and calls `refused` once for each. */
export function forgiving(server: Server, refused: (reason: string) => void): Server {
  let last = "";
  return {
    ...server,
    async open(visitor, user) {
      const signed = JSON.stringify(user);
      if (!user || signed === last) return server.open(visitor);
      try {
        return await server.open(visitor, user);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 400) throw error;
        last = signed;
        refused(error.message);
        return server.open(visitor);
      }
    },
  };
}
