import type { Stage } from "../stage.ts";
import type { CallData, Scenario } from "./area.ts";
import type { Caller, Sent } from "./caller.ts";
import type { Ledger } from "./ledger.ts";
import type { CrmOperation } from "./operations.ts";

/** What driving one operation needs. */
export interface Drive {
  caller: Caller;
  ledger: Ledger;
  stage: Stage;
  operation: CrmOperation;
  scenario: Scenario;
  /** Sends a call that must succeed, after the scenario's steps before it. */
  accepted(data: CallData, what: string, key?: string): Promise<Sent | undefined>;
}
