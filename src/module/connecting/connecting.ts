import type { Clock } from "gangway-messenger/clock";
import type { Config } from "../../config.ts";
import { type Connect, type ConnectParts, createConnect } from "./connect.ts";
import { type CheckForm, createFormCheck } from "./form-check.ts";
import { createGuessLimit } from "./guesses.ts";
import { createKeyTrial, type KeyTrialParts } from "./key-trial.ts";
import { createOneClick, type OneClick } from "./one-click.ts";
import { createLocate } from "./whereabouts.ts";

/** The ways to connect an account. They share one key trial, and with it the rate limit. */
export interface Connecting {
  connect: Connect;
  checkForm: CheckForm;
  oneClick: OneClick;
}

type ConnectingParts = Omit<KeyTrialParts, "mayGuess"> &
  Omit<ConnectParts, "tryKey"> & {
    config: Pick<Config, "sandbox" | "publicUrl" | "crmHosts" | "module">;
    clock: Clock;
  };

export function createConnecting(parts: ConnectingParts): Connecting {
  const mayGuess = createGuessLimit(parts.clock);
  const tryKey = createKeyTrial({ ...parts, mayGuess });
  const connect = createConnect({ ...parts, tryKey });
  return {
    connect,
    checkForm: createFormCheck({ ...parts, tryKey }),
    oneClick: createOneClick({ ...parts, connect, mayGuess, locate: createLocate(parts) }),
  };
}
