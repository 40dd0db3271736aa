import type { GangwayUser } from "../../gangway.d.ts";
import type { SignedUser } from "./protocol.ts";

/** Who the page says that the visitor is. */
export interface Person {
  user(): GangwayUser | undefined;
  /** Named by an id; without a signature it is nobody's. */
  signed(): SignedUser | undefined;
  /** Their token has ended: they are nobody in this tab, until the page calls `identify` again. */
  leave(): void;
}

export function createPerson(shell: Pick<Person, "user">): Person {
  // Each call of `identify` makes another object.
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
