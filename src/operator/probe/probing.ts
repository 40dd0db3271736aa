import { deadline, pause } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import { createCrm } from "../../crm/client.ts";
import { version } from "../../runtime.ts";
import { type Answer, failed } from "../command.ts";
import { cleaned, linesOf, makeFiles, type Passed, rowsOf, sandboxSettings, writeFiles } from "./report.ts";
import { hasSaid, openStage, register, type Stage, type StageParts } from "./stage.ts";
import type { Step, StepName } from "./step.ts";
import { CONNECT, deactivateLeft, STEPS } from "./steps.ts";

/** Deadline for each cleanup call, ms. */
const CLOSING_MS = 30_000;
const MAX_ASKED_MS = 24 * 3_600_000;

async function agrees({ person }: Stage, isAgreed: boolean, { name, does }: Step): Promise<boolean> {
  person.tell(`${name}: it will ${does}.`);
  if (isAgreed) return true;
  return /^y(es)?$/i.test((await person.ask(`${name}? [y/N] `, MAX_ASKED_MS))?.trim() ?? "");
}

export interface ProbingParts extends StageParts {
  only: readonly StepName[];
  /** The person has agreed to every step in advance. */
  isAgreed: boolean;
  withoutAgent: boolean;
  /** Output folder. */
  out: string;
}

export async function probing(parts: ProbingParts): Promise<Answer> {
  const stage = await openStage(parts);
  try {
    return await probed(parts, stage);
  } finally {
    await stage.listener.close();
  }
}

async function probed({ only, isAgreed, withoutAgent, ...parts }: ProbingParts, stage: Stage): Promise<Answer> {
  const { person, signal } = stage;
  person.tell(`The account is ${parts.crmUrl}: it should be one for tests. The probe's module there is ${parts.code}.`);
  person.tell(
    "What stays in it: the module, its channel (both off), two chats with their customers; no API removes them.",
  );
  if (!(await agrees(stage, isAgreed, CONNECT))) return failed("Nobody agreed: nothing was done.");
  try {
    makeFiles(parts.out);
  } catch (error) {
    return failed(`--out: ${errorText(error)}. Nothing was done.`);
  }
  const connected = await made(stage, CONNECT);
  const passed = [connected];
  const wanted = STEPS.filter(({ name, agent }) => only.includes(name as StepName) && !(agent && withoutAgent));
  for (const step of connected.state === "done" ? wanted : []) {
    if (signal.aborted) break;
    passed.push((await agrees(stage, isAgreed, step)) ? await made(stage, step) : skipped(step));
  }
  if (signal.aborted) person.tell("Interrupted: the probe takes away what it has made. Ctrl-C again ends it at once.");
  const left = await takeAway(stage);
  const { seen, own, secrets } = stage;
  const observed = cleaned({ seen, also: stage.also, passed, left, own, secrets });
  const day = new Date(parts.clock.now()).toISOString().slice(0, 10);
  const { also } = observed;
  const files = writeFiles(parts.out, observed, { version: version(), day });
  const faults = passed.flatMap(({ step, state, why }) => (state === "failed" ? [`${step} failed: ${why}`] : []));
  const written = ["", "Written; read the report before you send it:", ...files.map((file) => `  ${file}`)];
  return {
    ok: !signal.aborted && faults.length === 0,
    json: { unknowns: rowsOf(observed), also, settings: sandboxSettings(observed), left: observed.left, files, faults },
    text: [...linesOf(observed), ...faults, ...written],
  };
}

const skipped = ({ name }: Step): Passed => ({ step: name, state: "skipped", exchanges: [] });

async function made(stage: Stage, step: Step): Promise<Passed> {
  const { signal, listener, trace, person } = stage;
  const ended = (state: Passed["state"], why?: string): Passed => ({
    step: step.name,
    state,
    why,
    exchanges: trace.take(),
  });
  try {
    await step.run(stage);
    return ended(signal.aborted ? "interrupted" : "done");
  } catch (error) {
    if (signal.aborted) return ended("interrupted");
    // Report a defect with its stack, a refusal in its own words.
    const why = error instanceof TypeError ? (error.stack ?? error.message) : errorText(error);
    person.tell(`${step.name} failed: ${why}`);
    return ended("failed", why);
  } finally {
    listener.answer(undefined);
  }
}

/** Deactivates channel and module, and lists what remains. Separate deadlines: one that hangs spares the other. */
async function takeAway(stage: Stage): Promise<string[]> {
  const { clock, access, channel, gateway, module } = stage;
  if (!stage.isRegistered()) return ["nothing: the module was not registered"];
  const left: string[] = [];
  const tried = async (what: string, done: string, act: (closing: Stage, attempt: number) => Promise<unknown>) => {
    const within = deadline(clock, CLOSING_MS);
    const crm = createCrm({ call: stage.askCrm, crmUrl: access.crmUrl, apiKey: access.apiKey, signal: within.signal });
    const outcome = async (attempt: number): Promise<string> => {
      try {
        await act({ ...stage, crm, signal: within.signal }, attempt);
        return done;
      } catch (error) {
        if (attempt === ATTEMPTS || within.signal.aborted) return `${what}: ${errorText(error)}`;
        await pause(clock, AGAIN_MS, within.signal);
        return outcome(attempt + 1);
      }
    };
    left.push(await outcome(1));
    within.end();
  };
  const closeChannel = async (closing: Stage, attempt: number) => {
    // The interrupted step may have left the module off.
    if (attempt > 1) await register(closing);
    if (channel.id === undefined) await deactivateLeft(closing);
    else await gateway.deactivateChannel(channel.id, closing.signal);
  };
  const stillActive = "THE CHANNEL IS STILL ACTIVE, deactivate it by probing again";
  if (access.gatewayToken !== "") await tried(stillActive, "its channel, deactivated", closeChannel);
  const stillOn = "THE MODULE IS STILL ON, switch it off in the account";
  await tried(stillOn, `the module ${module.code}, switched off`, ({ crm }) => crm.switchOff(module));
  if (hasSaid(stage))
    left.push('the chats and customers "Gangway probe A" and "Gangway probe B", with the probe\'s messages and files');
  return left;
}

const ATTEMPTS = 3;
const AGAIN_MS = 1_500;
