import { Alert } from "gangway-ui/alert";
import type { Strings } from "./props.ts";

interface Props {
  t: Strings;
  vendor: string;
  /** Absent unless the vendor has paused the account. */
  reason?: string;
}

/** Why the vendor has paused the account, and what happens to messages meanwhile. */
export const AccountPause = ({ t, vendor, reason }: Props) =>
  reason === undefined ? null : (
    <Alert tone="danger" title={t.account.pausedBy({ vendor, reason })}>
      <p>{t.account.pausedHint({ vendor })}</p>
    </Alert>
  );
