import { isSigned, Refused } from "./protocol.ts";
import type { Server } from "./server.ts";

/**
 * Opens an anonymous chat for a customer whom the server refuses, and calls `refused` once for each. A customer who was
 * signed before is somebody else: their token ends first.
 */
export function forgiving(server: Server, refused: (reason: string) => void): Server {
  let last = "";
  const anonymous = async (visitor: string | null) => {
    if (!visitor || !isSigned(visitor)) return server.open(visitor);
    await server.logout(visitor).catch((error) => {
      // It has already ended, or is not a token.
      if (!(error instanceof Refused)) throw error;
    });
    return server.open(null);
  };
  return {
    ...server,
    async open(visitor, user) {
      const signed = JSON.stringify(user);
      if (!user) return server.open(visitor);
      if (!user.signature || signed === last) return anonymous(visitor);
      try {
        return await server.open(visitor, user);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 400) throw error;
        last = signed;
        refused(error.message);
        return anonymous(visitor);
      }
    },
  };
}
