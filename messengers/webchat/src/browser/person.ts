import type { GangwayUser } from "../../gangway.d.ts";
import type { SignedUser } from "./protocol.ts";

/** The visitor's identity according to the page. */
export interface Person {
  user(): GangwayUser | undefined;
  /** Named by an id; without a signature it is nobody's. */
  signed(): SignedUser | undefined;
  /** Their token has ended: they are anonymous in this tab until the page calls `identify` again. */
  leave(): void;
}

export function createPerson(shell: Pick<Person, "user">): Person {
  // Each call of `identify` creates a new object.
  let gone: GangwayUser | undefined;
  const user = () => (shell.user() === gone ? undefined : shell.user());
  return {
    user,
    signed() {
      const { id, signature } = user() ?? {};
      return id ? { id: String(id), signature: String(signature ?? "") } : undefined;
    },
    leave() {
      gone = shell.user();
    },
  };
}
