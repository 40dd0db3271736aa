import type { ChannelSession } from "gangway-messenger/port";
import { SIGNATURE_HEADER } from "./signature.ts";

type Doored = Required<Pick<ChannelSession, "receive" | "inspect">>;

/** Number of requests in a row; Meta repeats what is refused. */
const ENOUGH = 3;
export const OTHER_SECRET =
  "what Meta sends here is signed with another app secret than the stored one. Copy it again from the app's settings, and paste it here";

/** Reports an app secret that was changed at Meta: until it is pasted here, no customer's message is accepted. */
export function tellingOfOtherSecret<Session extends Doored>(session: Session): Session {
  // In memory: whoever knows the address can send requests.
  let refused = 0;
  return {
    ...session,
    async receive(request, address) {
      const isSigned = request.headers.has(SIGNATURE_HEADER);
      const receipt = await session.receive(request, address);
      // Without an address it is a part brought by another app, perhaps another shop's.
      if (address === undefined || !isSigned) return receipt;
      refused = receipt.reply.status === 401 ? refused + 1 : 0;
      return receipt;
    },
    async inspect(signal) {
      return (await session.inspect(signal)) ?? (refused >= ENOUGH ? OTHER_SECRET : undefined);
    },
  };
}
