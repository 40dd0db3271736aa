import { at, el } from "gangway-messenger/kit/emulator/browser/dom";

export interface Agent {
  id: number;
  /** The CRM's id of the same user. */
  crm_id: number;
  name: string;
  token: string;
}

const CHOSEN = "sandbox-inbox-agent";

export async function agentsHere(): Promise<Agent[]> {
  const answer = await fetch("/sandbox/agents");
  if (!answer.ok) throw new Error(`The agents cannot be loaded: the sandbox answered ${answer.status}.`);
  return (await answer.json()) as Agent[];
}

/** This tab's choice, else the first. */
export function chosenOf(agents: Agent[]): Agent | undefined {
  const id = Number(sessionStorage.getItem(CHOSEN));
  return agents.find((agent) => agent.id === id) ?? agents[0];
}

/** Choosing an agent reloads the page. */
export function showAgents(agents: Agent[], chosen: Agent): void {
  const select = at<HTMLSelectElement>("agent");
  select.replaceChildren(
    ...agents.map(({ id, name }) => el("option", { value: id, selected: id === chosen.id }, name)),
  );
  select.onchange = () => {
    sessionStorage.setItem(CHOSEN, select.value);
    location.reload();
  };
}
