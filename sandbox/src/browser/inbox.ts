import { agentsHere, chosenOf, showAgents } from "./agent.ts";
import { startDesk } from "./desk.ts";
import { createNotice, type Notice } from "./notice.ts";

const RETRY_MS = 3_000;

async function begin(notice: Notice): Promise<void> {
  try {
    const agents = await agentsHere();
    const agent = chosenOf(agents);
    if (!agent) throw new Error("There is no agent yet.");
    showAgents(agents, agent);
    notice.problem(undefined);
    startDesk(agent, notice);
  } catch (error) {
    notice.problem(error);
    setTimeout(() => void begin(notice), RETRY_MS);
  }
}

void begin(createNotice());
